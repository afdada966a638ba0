#include "cholesky.h"

#include <math.h>

void cholesky(int n, const double *restrict a, const double *restrict b, double *restrict l, double *restrict f)
{
    double y[n];
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            double s = a[i * n + j];
            for (int k = 0; k < j; k++)
                s -= l[i * n + k] * l[j * n + k];
            l[i * n + j] = s / l[j * n + j];
        }
        double s = a[i * n + i];
        for (int k = 0; k < i; k++)
            s -= l[i * n + k] * l[i * n + k];
        l[i * n + i] = sqrt(s);
    }
    double value = 0.0;
    for (int i = 0; i < n; i++) {
        double s = b[i];
        for (int k = 0; k < i; k++)
            s -= l[i * n + k] * y[k];
        y[i] = s / l[i * n + i];
        value += 2.0 * log(l[i * n + i]) + y[i] * y[i];
    }
    *f = value;
}
