//@ spline {"n":4,"x":[0.0,1.0,2.5,3.0],"y":[1.0,2.0,0.5,1.5],"t":1.75}
/* A natural cubic spline, evaluated after a binary search. */
#include <stdlib.h>
double spline(int n, const double *x, const double *y, double t)
{
    double *m = malloc(n * sizeof *m), *c = malloc(n * sizeof *c);
    if (!m || !c) { free(m); free(c); return 0; }
    m[0] = c[0] = 0;
    for (int i = 1; i < n - 1; i++) {
        double h = x[i] - x[i - 1], g = x[i + 1] - x[i];
        double d = 6 * ((y[i + 1] - y[i]) / g - (y[i] - y[i - 1]) / h), p = 2 * (h + g) - h * c[i - 1];
        c[i] = g / p;
        m[i] = (d - h * m[i - 1]) / p;
    }
    m[n - 1] = 0;
    for (int i = n - 2; i > 0; i--) m[i] -= c[i] * m[i + 1];
    int lo = 0, hi = n - 1;
    while (hi - lo > 1) {
        int k = (lo + hi) / 2;
        if (x[k] > t) hi = k; else lo = k;
    }
    double h = x[hi] - x[lo], a = (x[hi] - t) / h, b = (t - x[lo]) / h;
    double r = a * y[lo] + b * y[hi] + ((a * a * a - a) * m[lo] + (b * b * b - b) * m[hi]) * h * h / 6;
    free(m);
    free(c);
    return r;
}
