#include "mixture.h"

#include <math.h>

/* Points are reversed four at a time, so that the adjoint of l is read and written once for four. */
#define BATCH 4

/* What the adjoint of l, of exp(q), and the sum of the adjoints of c get from one density and `BATCH` points: the
 * weights w, the differences c and the products y = w'c, `stride` apart. */
static void scatter_batch(int d, int stride, const double *restrict w, const double *restrict c,
                          const double *restrict y, double *restrict y_sum, double *restrict e_b, double *restrict l_b)
{
    const double *restrict c0 = c, *restrict c1 = c0 + stride, *restrict c2 = c1 + stride, *restrict c3 = c2 + stride;
    const double *restrict y0 = y, *restrict y1 = y0 + stride, *restrict y2 = y1 + stride, *restrict y3 = y2 + stride;
    for (int j = 0; j < d; j++) {
        double *restrict row = l_b + j * d;
        const double t0 = w[0] * y0[j], t1 = w[1] * y1[j], t2 = w[2] * y2[j], t3 = w[3] * y3[j];
        y_sum[j] += t0 + t1 + t2 + t3;
        e_b[j] -= t0 * c0[j] + t1 * c1[j] + t2 * c2[j] + t3 * c3[j];
        for (int r = 0; r < j; r++)
            row[r] -= t0 * c0[r] + t1 * c1[r] + t2 * c2[r] + t3 * c3[r];
    }
}

/* The same for one point. */
static void scatter_one(int d, double w, const double *restrict c, const double *restrict y, double *restrict y_sum,
                        double *restrict e_b, double *restrict l_b)
{
    for (int j = 0; j < d; j++) {
        const double t = w * y[j];
        y_sum[j] += t;
        e_b[j] -= t * c[j];
        for (int r = 0; r < j; r++)
            l_b[j * d + r] -= t * c[r];
    }
}

double mixture_grad(int n, int d, int m, const double *restrict alpha, double *restrict alpha_b,
                    const double *restrict mu, double *restrict mu_b, const double *restrict q, double *restrict q_b,
                    const double *restrict l, double *restrict l_b, const double *restrict x)
{
    const int md = m * d;
    double e[md], e_b[md], y_sum[md], c[BATCH * md], y[BATCH * md], trace[m], s[m], weight_sum[m], weights[m * BATCH];
    for (int k = 0; k < m; k++) {
        trace[k] = 0.0;
        weight_sum[k] = 0.0;
        for (int j = 0; j < d; j++) {
            e[k * d + j] = exp(q[k * d + j]);
            trace[k] += q[k * d + j];
            e_b[k * d + j] = 0.0;
            y_sum[k * d + j] = 0.0;
        }
    }

    double f = 0.0, top, z;
    int held = 0;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < m; k++) {
            double norm = 0.0;
            double *restrict ck = c + held * md + k * d, *restrict yk = y + held * md + k * d;
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
        /* the adjoint of top is 1 - 1 */
        const double rz = 1.0 / z;
        for (int k = 0; k < m; k++) {
            const double w = s[k] * rz;
            weights[k * BATCH + held] = w;
            weight_sum[k] += w;
        }
        if (++held == BATCH) {
            held = 0;
            for (int k = 0; k < m; k++) {
                const int at = k * d;
                scatter_batch(d, md, weights + k * BATCH, c + at, y + at, y_sum + at, e_b + at, l_b + at * d);
            }
        }
    }
    for (int h = 0; h < held; h++)
        for (int k = 0; k < m; k++) {
            const int at = k * d, from = h * md + at;
            scatter_one(d, weights[k * BATCH + h], c + from, y + from, y_sum + at, e_b + at, l_b + at * d);
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

    /* what does not depend on the point: once for the sums */
    for (int k = 0; k < m; k++) {
        alpha_b[k] += weight_sum[k] - n * (s[k] / z);
        for (int j = 0; j < d; j++) {
            const int kj = k * d + j;
            q_b[kj] += weight_sum[k] + e_b[kj] * e[kj];
            mu_b[kj] += y_sum[kj] * e[kj];
            for (int r = 0; r < j; r++)
                mu_b[k * d + r] += y_sum[kj] * l[kj * d + r];
        }
    }
    return f;
}
