//@ fitted {"m":4,"t":[0,1,2,3],"y":[2.1,1.2,0.8,0.45],"start":[1.5,0.4]}
/* Levenberg-Marquardt for a curve fit: callback, void data, workspace structure. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
typedef void (*residual_cb)(const double *p, double *r, int m, int n, void *user);
typedef struct { const double *t, *y; } curve_data;
typedef struct workspace {
    int m, n;
    double *r, *rt, *J, *A, *g, *dp, *trial;
} workspace;
static workspace *ws_alloc(int m, int n)
{
    workspace *w = calloc(1, sizeof *w);
    w->m = m; w->n = n;
    w->r = malloc(m * sizeof *w->r);
    w->rt = malloc(m * sizeof *w->rt);
    w->J = malloc((size_t)m * n * sizeof *w->J);
    w->A = malloc((size_t)n * n * sizeof *w->A);
    w->g = malloc(n * sizeof *w->g);
    w->dp = malloc(n * sizeof *w->dp);
    w->trial = malloc(n * sizeof *w->trial);
    return w;
}
static void ws_free(workspace *w)
{
    free(w->r); free(w->rt); free(w->J); free(w->A); free(w->g); free(w->dp); free(w->trial);
    free(w);
}
static double norm2(const double *v, int n) { double s = 0; while (n--) { s += *v * *v; ++v; } return s; }
static int cholesky_solve(double *A, double *b, int n)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            double s = A[i * n + j];
            for (int k = 0; k < j; k++) s -= A[i * n + k] * A[j * n + k];
            if (i == j) { if (s <= 0) return 1; A[i * n + i] = sqrt(s); }
            else A[i * n + j] = s / A[j * n + j];
        }
    }
    for (int i = 0; i < n; i++) { for (int k = 0; k < i; k++) b[i] -= A[i * n + k] * b[k]; b[i] /= A[i * n + i]; }
    for (int i = n - 1; i >= 0; i--) { for (int k = i + 1; k < n; k++) b[i] -= A[k * n + i] * b[k]; b[i] /= A[i * n + i]; }
    return 0;
}
static int levmar(residual_cb f, double *p, int m, int n, int itmax, double *info, void *user)
{
    workspace *w = ws_alloc(m, n);
    double lambda = 1e-3;
    int it;
    f(p, w->r, m, n, user);
    double cost = norm2(w->r, m);
    for (it = 0; it < itmax; ++it) {
        for (int j = 0; j < n; j++) {
            double save = p[j], h = 1e-4 * (1 + fabs(save));
            p[j] = save + h;
            f(p, w->rt, m, n, user);
            p[j] = save;
            for (int i = 0; i < m; i++) w->J[i * n + j] = (w->rt[i] - w->r[i]) / h;
        }
        for (int a = 0; a < n; a++) {
            w->g[a] = 0;
            for (int i = 0; i < m; i++) w->g[a] += w->J[i * n + a] * w->r[i];
            for (int b = 0; b < n; b++) {
                w->A[a * n + b] = 0;
                for (int i = 0; i < m; i++) w->A[a * n + b] += w->J[i * n + a] * w->J[i * n + b];
            }
            w->A[a * n + a] *= 1 + lambda;
            w->dp[a] = -w->g[a];
        }
        if (cholesky_solve(w->A, w->dp, n)) { lambda *= 10; continue; }
        for (int a = 0; a < n; a++) w->trial[a] = p[a] + w->dp[a];
        f(w->trial, w->rt, m, n, user);
        double c = norm2(w->rt, m);
        if (c < cost) {
            double *swap = w->r; w->r = w->rt; w->rt = swap;
            memcpy(p, w->trial, n * sizeof *p);
            cost = c; lambda *= 0.3;
        } else lambda *= 4;
    }
    if (info) { info[0] = cost; info[1] = it; }
    ws_free(w);
    return it;
}
static void decay(const double *p, double *r, int m, int n, void *user)
{
    curve_data *d = user;
    for (int i = 0; i < m; i++) r[i] = p[0] * exp(-p[1] * d->t[i]) - d->y[i];
}
double fitted(int m, const double *t, const double *y, const double *start)
{
    double p[2] = { start[0], start[1] }, info[2];
    curve_data d = { t, y };
    levmar(decay, p, m, 2, 4, info, &d);
    return p[0] + 2 * p[1] + info[0];
}
