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
        int j = i - 1;
        for (; j >= 3; j -= 4) {
            const double *restrict l0 = l + j * n, *restrict l1 = l0 - n, *restrict l2 = l1 - n, *restrict l3 = l2 - n;
            double *restrict g0 = l_b + j * n, *restrict g1 = g0 - n, *restrict g2 = g1 - n, *restrict g3 = g2 - n;
            const double t0 = gi[j] / l0[j];
            const double t1 = (gi[j - 1] - t0 * l0[j - 1]) / l1[j - 1];
            const double t2 = (gi[j - 2] - t0 * l0[j - 2] - t1 * l1[j - 2]) / l2[j - 2];
            const double t3 = (gi[j - 3] - t0 * l0[j - 3] - t1 * l1[j - 3] - t2 * l2[j - 3]) / l3[j - 3];
            a_b[i * n + j] += t0;
            a_b[i * n + j - 1] += t1;
            a_b[i * n + j - 2] += t2;
            a_b[i * n + j - 3] += t3;
            g0[j] -= t0 * li[j];
            g0[j - 1] -= t0 * li[j - 1];
            g1[j - 1] -= t1 * li[j - 1];
            g0[j - 2] -= t0 * li[j - 2];
            g1[j - 2] -= t1 * li[j - 2];
            g2[j - 2] -= t2 * li[j - 2];
            for (int k = 0; k < j - 3; k++) {
                gi[k] -= t0 * l0[k] + t1 * l1[k] + t2 * l2[k] + t3 * l3[k];
                g0[k] -= t0 * li[k];
                g1[k] -= t1 * li[k];
                g2[k] -= t2 * li[k];
                g3[k] -= t3 * li[k];
            }
            g0[j - 3] -= t0 * li[j - 3];
            g1[j - 3] -= t1 * li[j - 3];
            g2[j - 3] -= t2 * li[j - 3];
            g3[j - 3] -= t3 * li[j - 3];
        }
        for (; j >= 0; j--) {
            const double *restrict lj = l + j * n;
            double *restrict gj = l_b + j * n;
            const double t = gi[j] / lj[j];
            a_b[i * n + j] += t;
            gj[j] -= t * li[j];
            for (int k = 0; k < j; k++) {
                gi[k] -= t * lj[k];
                gj[k] -= t * li[k];
            }
        }
    }
}
