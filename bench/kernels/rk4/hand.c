#include "rk4.h"

#include <math.h>

double rk4_grad(int steps, double h, const double *restrict p, double *restrict p_b, const double *restrict u0,
                double *restrict u0_b, struct room *room)
{
    const double p0 = p[0], p1 = p[1], p2 = p[2], p3 = p[3];
    const double half = 0.5 * h, sixth = h / 6.0;
    double x = u0[0], y = u0[1];
    double *restrict tape = room_for(room, 8 * (size_t)steps);
    if (tape == NULL && steps > 0)
        return NAN;
    for (int t = 0; t < steps; t++) {
        tape[8 * t] = x;
        tape[8 * t + 1] = y;
        const double kx1 = x * (p0 - p1 * y);
        const double ky1 = y * (p2 * x - p3);
        double xs = x + half * kx1;
        double ys = y + half * ky1;
        tape[8 * t + 2] = xs;
        tape[8 * t + 3] = ys;
        const double kx2 = xs * (p0 - p1 * ys);
        const double ky2 = ys * (p2 * xs - p3);
        xs = x + half * kx2;
        ys = y + half * ky2;
        tape[8 * t + 4] = xs;
        tape[8 * t + 5] = ys;
        const double kx3 = xs * (p0 - p1 * ys);
        const double ky3 = ys * (p2 * xs - p3);
        xs = x + h * kx3;
        ys = y + h * ky3;
        tape[8 * t + 6] = xs;
        tape[8 * t + 7] = ys;
        const double kx4 = xs * (p0 - p1 * ys);
        const double ky4 = ys * (p2 * xs - p3);
        x += sixth * (kx1 + 2.0 * kx2 + 2.0 * kx3 + kx4);
        y += sixth * (ky1 + 2.0 * ky2 + 2.0 * ky3 + ky4);
    }
    const double f = x * x + y * y;
    double x_b = 2.0 * x, y_b = 2.0 * y;
    double p0_b = 0.0, p1_b = 0.0, p2_b = 0.0, p3_b = 0.0;
    const double f0 = h * p0, f1 = h * p1, f2 = h * p2, f3 = h * p3;
    const double h0 = half * p0, h1 = half * p1, h2 = half * p2, h3 = half * p3;
    for (int t = steps - 1; t >= 0; t--) {
        const double *restrict at = tape + 8 * t;
        const double x1 = at[0], y1 = at[1], x2 = at[2], y2 = at[3], x3 = at[4], y3 = at[5], x4 = at[6], y4 = at[7];
        const double kx4 = x_b * (1.0 / 6.0), ky4 = y_b * (1.0 / 6.0);
        const double third_x = x_b * (1.0 / 3.0), third_y = y_b * (1.0 / 3.0);
        const double xs4 = kx4 * (f0 - f1 * y4) + ky4 * (f2 * y4);
        const double ys4 = ky4 * (f2 * x4 - f3) - kx4 * (f1 * x4);
        const double kx3 = third_x + xs4, ky3 = third_y + ys4;
        const double xs3 = kx3 * (h0 - h1 * y3) + ky3 * (h2 * y3);
        const double ys3 = ky3 * (h2 * x3 - h3) - kx3 * (h1 * x3);
        const double kx2 = third_x + xs3, ky2 = third_y + ys3;
        const double xs2 = kx2 * (h0 - h1 * y2) + ky2 * (h2 * y2);
        const double ys2 = ky2 * (h2 * x2 - h3) - kx2 * (h1 * x2);
        const double kx1 = kx4 + xs2, ky1 = ky4 + ys2;
        const double xs1 = kx1 * (f0 - f1 * y1) + ky1 * (f2 * y1);
        const double ys1 = ky1 * (f2 * x1 - f3) - kx1 * (f1 * x1);
        const double ax4 = kx4 * x4, ax3 = kx3 * x3, ax2 = kx2 * x2, ax1 = kx1 * x1;
        const double ay4 = ky4 * y4, ay3 = ky3 * y3, ay2 = ky2 * y2, ay1 = ky1 * y1;
        p0_b += (ax1 + ax2) + (ax3 + ax4);
        p1_b -= (ax1 * y1 + ax2 * y2) + (ax3 * y3 + ax4 * y4);
        p2_b += (ay1 * x1 + ay2 * x2) + (ay3 * x3 + ay4 * x4);
        p3_b -= (ay1 + ay2) + (ay3 + ay4);
        x_b = (x_b + xs4 + 2.0 * (xs3 + xs2)) + xs1;
        y_b = (y_b + ys4 + 2.0 * (ys3 + ys2)) + ys1;
    }
    p_b[0] += h * p0_b;
    p_b[1] += h * p1_b;
    p_b[2] += h * p2_b;
    p_b[3] += h * p3_b;
    u0_b[0] += x_b;
    u0_b[1] += y_b;
    return f;
}
