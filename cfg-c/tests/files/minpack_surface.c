//@ surface {"n":3,"x":[0.1,0.2,0.15,0.3,0.25,0.05,0.4,0.2,0.1],"edge":[0.0,0.1,0.2,0.1,0.0]}
/* MINPACK-2: a minimal surface over a square. */
#include <math.h>
static double at(int n, const double *x, const double *edge, int i, int j)
{
    if (i < 0 || i >= n) return edge[j + 1];
    if (j < 0 || j >= n) return -edge[i + 1];
    return x[i * n + j];
}
double surface(int n, const double *x, const double *edge)
{
    double h = 1.0 / (n + 1), s = 0;
    for (int i = -1; i < n; ++i)
        for (int j = -1; j < n; ++j) {
            double v = at(n, x, edge, i, j), r = at(n, x, edge, i, j + 1), t = at(n, x, edge, i + 1, j), d = at(n, x, edge, i + 1, j + 1);
            double fl = sqrt(1.0 + pow((r - v) / h, 2) + pow((t - v) / h, 2));
            double fu = sqrt(1.0 + pow((d - t) / h, 2) + pow((d - r) / h, 2));
            s += 0.5 * h * h * (fl + fu);
        }
    return s;
}
