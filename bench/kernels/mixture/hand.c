#include "mixture.h"

#include <math.h>

double mixture_grad(int n, int d, int m, const double *restrict alpha, double *restrict alpha_b,
                    const double *restrict mu, double *restrict mu_b, const double *restrict q, double *restrict q_b,
                    const double *restrict l, double *restrict l_b, const double *restrict x)
{
    const int md = m * d;
    double e[md], e_b[md], c[md], y[md], y_sum[md], trace[m], s[m], weight[m];
    for (int k = 0; k < m; k++) {
        trace[k] = 0.0;
        weight[k] = 0.0;
        for (int j = 0; j < d; j++) {
            e[k * d + j] = exp(q[k * d + j]);
            trace[k] += q[k * d + j];
            e_b[k * d + j] = 0.0;
            y_sum[k * d + j] = 0.0;
        }
    }
    double f = 0.0, top, z;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < m; k++) {
            double norm = 0.0;
            double *restrict ck = c + k * d, *restrict yk = y + k * d;
            for (int j = 0; j < d; j++) {
                ck[j] = x[i * d + j] - mu[k * d + j];
                double t = e[k * d + j] * ck[j];
                for (int r = 0; r < j; r++)
                    t += l[(k * d + j) * d + r] * ck[r];
                yk[j] = t;
                norm += t * t;
            }
            s[k] = alpha[k] + trace[k] - 0.5 * norm;
        }
        top = s[0];
        for (int k = 1; k < m; k++)
            if (s[k] > top)
                top = s[k];
        z = 0.0;
        for (int k = 0; k < m; k++) {
            s[k] = exp(s[k] - top);
            z += s[k];
        }
        f = f + top + log(z);
        const double rz = 1.0 / z;
        for (int k = 0; k < m; k++) {
            const double w = s[k] * rz;
            weight[k] += w;
            const double *restrict ck = c + k * d, *restrict yk = y + k * d;
            for (int j = 0; j < d; j++) {
                const double t_b = w * yk[j];
                y_sum[k * d + j] += t_b;
                e_b[k * d + j] -= t_b * ck[j];
                for (int r = 0; r < j; r++)
                    l_b[(k * d + j) * d + r] -= t_b * ck[r];
            }
        }
    }
    top = alpha[0];
    for (int k = 1; k < m; k++)
        if (alpha[k] > top)
            top = alpha[k];
    z = 0.0;
    for (int k = 0; k < m; k++) {
        s[k] = exp(alpha[k] - top);
        z += s[k];
    }
    f -= n * (top + log(z));
    for (int k = 0; k < m; k++) {
        alpha_b[k] += weight[k] - n * (s[k] / z);
        for (int j = 0; j < d; j++) {
            const int kj = k * d + j;
            q_b[kj] += weight[k] + e_b[kj] * e[kj];
            mu_b[kj] += y_sum[kj] * e[kj];
            for (int r = 0; r < j; r++)
                mu_b[k * d + r] += y_sum[kj] * l[kj * d + r];
        }
    }
    return f;
}
