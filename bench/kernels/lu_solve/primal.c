#include "lu_solve.h"

#include <math.h>

void lu_solve(int n, const double *restrict a, const double *restrict b, double *restrict lu, double *restrict f)
{
    double x[n];
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            lu[i * n + j] = a[i * n + j];
        x[i] = b[i];
    }
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(lu[i * n + k]) > fabs(lu[p * n + k]))
                p = i;
        if (p != k) {
            for (int j = 0; j < n; j++) {
                const double s = lu[k * n + j];
                lu[k * n + j] = lu[p * n + j];
                lu[p * n + j] = s;
            }
            const double s = x[k];
            x[k] = x[p];
            x[p] = s;
        }
        for (int i = k + 1; i < n; i++) {
            const double s = lu[i * n + k] / lu[k * n + k];
            lu[i * n + k] = s;
            for (int j = k + 1; j < n; j++)
                lu[i * n + j] -= s * lu[k * n + j];
        }
    }
    for (int i = 0; i < n; i++) {
        double s = x[i];
        for (int j = 0; j < i; j++)
            s -= lu[i * n + j] * x[j];
        x[i] = s;
    }
    double value = 0.0;
    for (int i = n - 1; i >= 0; i--) {
        double s = x[i];
        for (int j = i + 1; j < n; j++)
            s -= lu[i * n + j] * x[j];
        x[i] = s / lu[i * n + i];
        value += 0.5 * x[i] * x[i];
    }
    *f = value;
}
