#include "rk4.h"

#include <math.h>

double rk4_grad(int steps, double h, const double *restrict p, double *restrict p_b, const double *restrict u0,
                double *restrict u0_b, struct room *room)
{
    const double p0 = p[0], p1 = p[1], p2 = p[2], p3 = p[3];
    const double half = 0.5 * h, sixth = h / 6.0, third = h / 3.0;
    double x = u0[0], y = u0[1];
    double *restrict tape = room_for(room, 2 * (size_t)steps);
    if (tape == NULL && steps > 0)
        return NAN;
    for (int t = 0; t < steps; t++) {
        tape[2 * t] = x;
        tape[2 * t + 1] = y;
        const double kx1 = x * (p0 - p1 * y);
        const double ky1 = y * (p2 * x - p3);
        double xs = x + half * kx1;
        double ys = y + half * ky1;
        const double kx2 = xs * (p0 - p1 * ys);
        const double ky2 = ys * (p2 * xs - p3);
        xs = x + half * kx2;
        ys = y + half * ky2;
        const double kx3 = xs * (p0 - p1 * ys);
        const double ky3 = ys * (p2 * xs - p3);
        xs = x + h * kx3;
        ys = y + h * ky3;
        const double kx4 = xs * (p0 - p1 * ys);
        const double ky4 = ys * (p2 * xs - p3);
        x += sixth * (kx1 + 2.0 * kx2 + 2.0 * kx3 + kx4);
        y += sixth * (ky1 + 2.0 * ky2 + 2.0 * ky3 + ky4);
    }
    const double f = x * x + y * y;
    double x_b = 2.0 * x, y_b = 2.0 * y;
    double p0_b = 0.0, p1_b = 0.0, p2_b = 0.0, p3_b = 0.0;
    for (int t = steps - 1; t >= 0; t--) {
        const double x1 = tape[2 * t], y1 = tape[2 * t + 1];
        const double gx1 = p0 - p1 * y1, gy1 = p2 * x1 - p3;
        const double x2 = x1 + half * (x1 * gx1), y2 = y1 + half * (y1 * gy1);
        const double gx2 = p0 - p1 * y2, gy2 = p2 * x2 - p3;
        const double x3 = x1 + half * (x2 * gx2), y3 = y1 + half * (y2 * gy2);
        const double gx3 = p0 - p1 * y3, gy3 = p2 * x3 - p3;
        const double x4 = x1 + h * (x3 * gx3), y4 = y1 + h * (y3 * gy3);
        const double gx4 = p0 - p1 * y4, gy4 = p2 * x4 - p3;
        /* stage 4 */
        const double kx4 = sixth * x_b, ky4 = sixth * y_b;
        const double ax4 = kx4 * x4, ay4 = ky4 * y4;
        const double xs4 = kx4 * gx4 + ay4 * p2;
        const double ys4 = ky4 * gy4 - ax4 * p1;
        /* stage 3 */
        const double kx3 = third * x_b + h * xs4, ky3 = third * y_b + h * ys4;
        const double ax3 = kx3 * x3, ay3 = ky3 * y3;
        const double xs3 = kx3 * gx3 + ay3 * p2;
        const double ys3 = ky3 * gy3 - ax3 * p1;
        /* stage 2 */
        const double kx2 = third * x_b + half * xs3, ky2 = third * y_b + half * ys3;
        const double ax2 = kx2 * x2, ay2 = ky2 * y2;
        const double xs2 = kx2 * gx2 + ay2 * p2;
        const double ys2 = ky2 * gy2 - ax2 * p1;
        /* stage 1 */
        const double kx1 = sixth * x_b + half * xs2, ky1 = sixth * y_b + half * ys2;
        const double ax1 = kx1 * x1, ay1 = ky1 * y1;
        const double xs1 = kx1 * gx1 + ay1 * p2;
        const double ys1 = ky1 * gy1 - ax1 * p1;
        p0_b += (ax1 + ax2) + (ax3 + ax4);
        p1_b -= (ax1 * y1 + ax2 * y2) + (ax3 * y3 + ax4 * y4);
        p2_b += (ay1 * x1 + ay2 * x2) + (ay3 * x3 + ay4 * x4);
        p3_b -= (ay1 + ay2) + (ay3 + ay4);
        x_b += (xs1 + xs2) + (xs3 + xs4);
        y_b += (ys1 + ys2) + (ys3 + ys4);
    }
    p_b[0] += p0_b;
    p_b[1] += p1_b;
    p_b[2] += p2_b;
    p_b[3] += p3_b;
    u0_b[0] += x_b;
    u0_b[1] += y_b;
    return f;
}
