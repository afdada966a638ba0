//@ combustion {"n":3,"x":[0.1,0.2,0.15,0.3,0.25,0.05,0.4,0.2,0.1],"fvec":[0,0,0,0,0,0,0,0,0],"lambda":1.5}
/* MINPACK-2: solid fuel ignition, the residuals. */
#include <math.h>
void combustion(int n, const double x[n * n], double fvec[n * n], double lambda)
{
    const double h = 1.0 / (n + 1);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int k = i * n + j;
            double p = x[k], b = i == 0 ? 0.0 : x[k - n], t = i == n - 1 ? 0.0 : x[k + n];
            double l = j == 0 ? 0.0 : x[k - 1], r = j == n - 1 ? 0.0 : x[k + 1];
            fvec[k] = 4.0 * p - l - r - b - t - h * h * lambda * exp(p);
        }
}
