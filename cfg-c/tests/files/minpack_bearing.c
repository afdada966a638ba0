//@ bearing {"nx":2,"ny":3,"x":[0.1,0.2,0.15,0.3,0.25,0.05],"ecc":0.1,"b":10.0}
/* MINPACK-2: pressure in a journal bearing. */
#include <math.h>
static double p(double xi, double ecc) { double v = 1 + ecc * cos(xi); return v * v * v; }
double bearing(int nx, int ny, const double *x, double ecc, double b)
{
    const double pi = 4.0 * atan(1.0);
    double hx = 2 * pi / (nx + 1), hy = 2 * b / (ny + 1), quad = 0, lin = 0;
    for (int i = 0; i <= nx; i++) {
        double xi = i * hx, trule = hx * hy * (2 * p(xi, ecc) + p(xi + hx, ecc)) / 6.0;
        for (int j = 0; j <= ny; j++) {
            int k = nx * (j - 1) + i - 1;
            double v = i && j ? x[k] : 0, r = i < nx && j ? x[k + 1] : 0, t = i && j < ny ? x[k + nx] : 0;
            double dx = (r - v) / hx, dy = (t - v) / hy;
            quad += trule * (dx * dx + dy * dy);
        }
    }
    for (int i = 1; i <= nx; i++)
        for (int j = 1; j <= ny; j++) lin += sin(i * hx) * x[nx * (j - 1) + i - 1];
    return 0.5 * quad - ecc * hx * hy * lin;
}
