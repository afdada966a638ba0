#include "cholesky.h"

#include <math.h>

void cholesky_grad(int n, const double *restrict a, double *restrict a_b, const double *restrict b,
                   double *restrict b_b, double *restrict l, double *restrict l_b, double *restrict f)
{
    double y[n], y_b[n];
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
        y_b[i] = 2.0 * y[i];
    }
    *f = value;
    for (int i = n - 1; i >= 0; i--) {
        const double r = 1.0 / l[i * n + i];
        const double s_b = y_b[i] * r;
        b_b[i] += s_b;
        for (int k = 0; k < i; k++) {
            y_b[k] -= s_b * l[i * n + k];
            l_b[i * n + k] = -s_b * y[k];
        }
        l_b[i * n + i] = 2.0 * r - s_b * y[i];
    }
    for (int i = n - 1; i >= 0; i--) {
        const double *restrict li = l + i * n;
        double *restrict gi = l_b + i * n;
        const double s_b = 0.5 * gi[i] / li[i];
        a_b[i * n + i] += s_b;
        for (int k = 0; k < i; k++)
            gi[k] -= 2.0 * s_b * li[k];
        for (int j = i - 1; j >= 0; j--) {
            const double *restrict lj = l + j * n;
            double *restrict gj = l_b + j * n;
            const double t_b = gi[j] / lj[j];
            a_b[i * n + j] += t_b;
            gj[j] -= t_b * li[j];
            for (int k = 0; k < j; k++) {
                gi[k] -= t_b * lj[k];
                gj[k] -= t_b * li[k];
            }
        }
    }
}
