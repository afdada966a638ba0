//@ kepler {"M": 1.2, "e": 0.4}
//@ cuberoot {"a": 5.0}
//@ system2 {"x0": [1.0, 1.0], "p": [2.0, 0.5]}
/* Iterations to convergence. */
#include <math.h>
#include <float.h>
#include <stdio.h>
double kepler(double M, double e)
{
    double E = M, dE;
    int it = 0;
    do {
        dE = (E - e * sin(E) - M) / (1 - e * cos(E));
        E -= dE;
    } while (fabs(dE) > 10 * DBL_EPSILON && ++it < 50);
    return E;
}
double cuberoot(double a)
{
    double x = a > 1 ? a / 3 : 1, old;
    do old = x, x = (2 * x + a / (x * x)) / 3; while (fabs(x - old) > 1e-12 * fabs(x));
    return x;
}
double system2(double x0[2], const double p[static 2])
{
    double x[2] = { x0[0], x0[1] }, f[2], J[2][2], det, nrm;
    int k;
    for (k = 0; ; k++) {
        f[0] = x[0] * x[0] + x[1] * x[1] - p[0];
        f[1] = x[0] * x[1] - p[1];
        if ((nrm = hypot(f[0], f[1])) < 1e-14 || k > 30) break;
        J[0][0] = 2 * x[0]; J[0][1] = 2 * x[1];
        J[1][0] = x[1];     J[1][1] = x[0];
        det = J[0][0] * J[1][1] - J[0][1] * J[1][0];
        if (fabs(det) < 1e-3) { x[0] += .1; continue; }
        x[0] -= (J[1][1] * f[0] - J[0][1] * f[1]) / det;
        x[1] -= (-J[1][0] * f[0] + J[0][0] * f[1]) / det;
    }
    return x[0] - 2 * x[1];
}
