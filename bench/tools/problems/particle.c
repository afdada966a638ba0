#include <math.h>

/* A particle is repelled by n charges at (10, w[i]) and moves by explicit steps from (0, 8) until it reaches the
 * ground: the square of the place where it does. */
double particle(int n, double step, const double *w)
{
    double x = 0.0, y = 8.0, u = 0.75, v = 0.0;
    while (y + step * v > 0.0) {
        double ax = 0.0, ay = 0.0;
        for (int i = 0; i < n; i++) {
            const double dx = x - 10.0, dy = y - w[i];
            const double square = dx * dx + dy * dy;
            const double r = sqrt(square);
            ax += dx / (square * r);
            ay += dy / (square * r);
        }
        x += step * u;
        y += step * v;
        u += step * ax;
        v += step * ay;
    }
    x -= y / v * u;
    return x * x;
}
