#include "lu_solve.h"

#include <math.h>

/* Steps that are reversed at a time. Each adjoint behind them is then read once for all of them, and what they get
 * from it is one or two wide vectors, or a loop long enough for narrow ones; 4 and 16 are slower. */
#define K 8

/* Steps k0 ... k1 - 1 in reverse, as far as they concern the rows and columns from k0 to k1 only; `d` and `e` are what
 * the rows and columns behind give to the rows and to the columns. */
static void block(int n, int k0, int k1, const double *restrict lu, double *restrict g, const double *restrict d,
                  const double *restrict e)
{
    for (int k = k1 - 1; k >= k0; k--) {
        const double *restrict u = lu + k * n;
        const double pivot = 1.0 / u[k];
        for (int i = k + 1; i < k1; i++) {
            double s = g[i * n + k] - e[(i - k0) * K + k - k0];
            for (int j = k + 1; j < k1; j++)
                s -= g[i * n + j] * u[j];
            g[i * n + k] = s * pivot;
        }
        for (int j = k; j < k1; j++) {
            double s = g[k * n + j] - d[(k - k0) * K + j - k0];
            for (int i = k + 1; i < k1; i++)
                s -= lu[i * n + k] * g[i * n + j];
            g[k * n + j] = s;
        }
    }
}

/* The adjoints t of one row in the columns of a block: what the columns behind give is taken from them, and then, from
 * the last column to the first, each is divided by its pivot and given to the columns before it. `v` has the part of U
 * above the pivots by columns, filled up with zeros, so that the inner loop is one vector. */
static void divide(const double *restrict inverse, const double *restrict v, const double *restrict products,
                   double *restrict t)
{
    double c[K];
    for (int q = 0; q < K; q++)
        c[q] = t[q] - products[q];
    for (int q = K - 1; q >= 0; q--) {
        const double s = c[q] * inverse[q];
        t[q] = s;
        for (int r = 0; r < K; r++)
            c[r] -= s * v[q * K + r];
    }
}

/* What one row behind a block gives to the adjoints of U in the block. */
static void add_products(const double *restrict l, const double *restrict t, double *restrict d)
{
    for (int q = 0; q < K; q++)
        for (int r = 0; r < K; r++)
            d[q * K + r] += l[q] * t[r];
}

/* Steps k0 ... k0 + K - 1 in reverse. `ut` has their rows of U by columns, `rt` what their rows get from the adjoints
 * behind them, also by columns: the K elements of a column are vectors for both products, without a sum across one. */
static void reverse(int n, int k0, const double *restrict lu, double *restrict g, double *restrict ut,
                    double *restrict rt)
{
    const int k1 = k0 + K;
    double d[K * K], e[K * K];
    for (int q = 0; q < K * K; q++)
        d[q] = e[q] = 0.0;
    double inverse[K], v[K * K];
    for (int q = 0; q < K; q++) {
        inverse[q] = 1.0 / lu[(k0 + q) * n + k0 + q];
        for (int r = 0; r < K; r++)
            v[q * K + r] = r < q ? lu[(k0 + r) * n + k0 + q] : 0.0;
    }
    for (int q = 0; q < K; q++)
        for (int j = k1; j < n; j++) {
            ut[j * K + q] = lu[(k0 + q) * n + j];
            rt[j * K + q] = 0.0;
        }
    int i = k1;
    for (; i + 4 <= n; i += 4) {
        const double *restrict g0 = g + i * n, *restrict g1 = g0 + n, *restrict g2 = g1 + n, *restrict g3 = g2 + n;
        const double *restrict l0 = lu + i * n + k0, *restrict l1 = l0 + n, *restrict l2 = l1 + n,
                              *restrict l3 = l2 + n;
        double c0[K], c1[K], c2[K], c3[K];
        for (int q = 0; q < K; q++)
            c0[q] = c1[q] = c2[q] = c3[q] = 0.0;
        for (int j = k1; j < n; j++) {
            const double h0 = g0[j], h1 = g1[j], h2 = g2[j], h3 = g3[j];
            const double *restrict u = ut + j * K;
            double *restrict r = rt + j * K;
            for (int q = 0; q < K; q++) {
                const double uq = u[q];
                c0[q] += h0 * uq;
                c1[q] += h1 * uq;
                c2[q] += h2 * uq;
                c3[q] += h3 * uq;
                r[q] += (h0 * l0[q] + h1 * l1[q]) + (h2 * l2[q] + h3 * l3[q]);
            }
        }
        double *restrict t0 = g + i * n + k0, *restrict t1 = t0 + n, *restrict t2 = t1 + n, *restrict t3 = t2 + n;
        divide(inverse, v, c0, t0);
        divide(inverse, v, c1, t1);
        divide(inverse, v, c2, t2);
        divide(inverse, v, c3, t3);
        add_products(l0, t0, d);
        add_products(l1, t1, d);
        add_products(l2, t2, d);
        add_products(l3, t3, d);
    }
    for (; i < n; i++) {
        const double *restrict g0 = g + i * n, *restrict l0 = lu + i * n + k0;
        double c0[K];
        for (int q = 0; q < K; q++)
            c0[q] = 0.0;
        for (int j = k1; j < n; j++)
            for (int q = 0; q < K; q++) {
                c0[q] += g0[j] * ut[j * K + q];
                rt[j * K + q] += g0[j] * l0[q];
            }
        double *restrict t0 = g + i * n + k0;
        divide(inverse, v, c0, t0);
        for (int q = 0; q < K; q++)
            for (int r = 0; r < K; r++)
                d[q * K + r] += l0[q] * t0[r];
    }
    for (int q = K - 1; q >= 0; q--) {
        double *restrict row = g + (k0 + q) * n;
        for (int j = k1; j < n; j++)
            row[j] -= rt[j * K + q];
        for (int r = q + 1; r < K; r++) {
            const double *restrict from = g + (k0 + r) * n;
            const double l = lu[(k0 + r) * n + k0 + q];
            for (int j = k1; j < n; j++)
                row[j] -= l * from[j];
        }
    }
    for (int q = 0; q < K; q += 4) {
        const double *restrict g0 = g + (k0 + q) * n, *restrict g1 = g0 + n, *restrict g2 = g1 + n,
                              *restrict g3 = g2 + n;
        double c0[K], c1[K], c2[K], c3[K];
        for (int r = 0; r < K; r++)
            c0[r] = c1[r] = c2[r] = c3[r] = 0.0;
        for (int j = k1; j < n; j++) {
            const double h0 = g0[j], h1 = g1[j], h2 = g2[j], h3 = g3[j];
            const double *restrict u = ut + j * K;
            for (int r = 0; r < K; r++) {
                c0[r] += h0 * u[r];
                c1[r] += h1 * u[r];
                c2[r] += h2 * u[r];
                c3[r] += h3 * u[r];
            }
        }
        for (int r = 0; r < K; r++) {
            e[q * K + r] = c0[r];
            e[(q + 1) * K + r] = c1[r];
            e[(q + 2) * K + r] = c2[r];
            e[(q + 3) * K + r] = c3[r];
        }
    }
    block(n, k0, k1, lu, g, d, e);
}

void lu_solve_grad(int n, const double *restrict a, double *restrict a_b, const double *restrict b,
                   double *restrict b_b, double *restrict lu, double *restrict lu_b, double *restrict f)
{
    double x[n], y[n], x_b[n], y_b[n], ut[n * K], rt[n * K];
    /* the row of a that has become row i: the adjoint is that of the rows in their last order, it exchanges nothing */
    int from[n];
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            lu[i * n + j] = a[i * n + j];
        x[i] = b[i];
        from[i] = i;
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
            const int row = from[k];
            from[k] = from[p];
            from[p] = row;
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
        y[i] = s;
    }
    double value = 0.0;
    for (int i = n - 1; i >= 0; i--) {
        double s = x[i];
        for (int j = i + 1; j < n; j++)
            s -= lu[i * n + j] * x[j];
        x[i] = s / lu[i * n + i];
        value += 0.5 * x[i] * x[i];
        x_b[i] = x[i];
    }
    *f = value;

    for (int i = 0; i < n; i++) {
        const double s_b = x_b[i] / lu[i * n + i];
        y_b[i] = s_b;
        lu_b[i * n + i] = -s_b * x[i];
        for (int j = i + 1; j < n; j++) {
            lu_b[i * n + j] = -s_b * x[j];
            x_b[j] -= s_b * lu[i * n + j];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        const double s_b = y_b[i];
        b_b[from[i]] += s_b;
        for (int j = 0; j < i; j++) {
            lu_b[i * n + j] = -s_b * y[j];
            y_b[j] -= s_b * lu[i * n + j];
        }
    }
    const double zeros[K * K] = {0.0};
    int k = n - n % K;
    block(n, k, n, lu, lu_b, zeros, zeros);
    for (k -= K; k >= 0; k -= K)
        reverse(n, k, lu, lu_b, ut, rt);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a_b[from[i] * n + j] += lu_b[i * n + j];
}
