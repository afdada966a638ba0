#include "rk4.h"

double rk4(int steps, double h, const double *p, const double *u0)
{
    const double p0 = p[0], p1 = p[1], p2 = p[2], p3 = p[3];
    double x = u0[0], y = u0[1];
    for (int t = 0; t < steps; t++) {
        const double kx1 = x * (p0 - p1 * y);
        const double ky1 = y * (p2 * x - p3);
        double xs = x + 0.5 * h * kx1;
        double ys = y + 0.5 * h * ky1;
        const double kx2 = xs * (p0 - p1 * ys);
        const double ky2 = ys * (p2 * xs - p3);
        xs = x + 0.5 * h * kx2;
        ys = y + 0.5 * h * ky2;
        const double kx3 = xs * (p0 - p1 * ys);
        const double ky3 = ys * (p2 * xs - p3);
        xs = x + h * kx3;
        ys = y + h * ky3;
        const double kx4 = xs * (p0 - p1 * ys);
        const double ky4 = ys * (p2 * xs - p3);
        x += h / 6.0 * (kx1 + 2.0 * kx2 + 2.0 * kx3 + kx4);
        y += h / 6.0 * (ky1 + 2.0 * ky2 + 2.0 * ky3 + ky4);
    }
    return x * x + y * y;
}
