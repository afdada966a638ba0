//@ solve_quad {"n": 3, "A": [4, 1, 0.5, 1, 5, 1, 0.5, 1, 6], "b": [1, 2, 3]}
//@ lm {"p": [1.0, 0.1], "t": [0, 1, 2, 3], "y": [1, 0.8, 0.7, 0.5], "m": 4}
/* Errors that jump to where memory is freed; a model that may also give its derivatives. */
#include <stdlib.h>
#include <math.h>
#include <string.h>
#include <errno.h>
#include <stdio.h>
#define CHECK(p) do { if ((p) == NULL) { rc = -ENOMEM; goto cleanup; } } while (0)
#ifndef ENOMEM
#define ENOMEM 12
#endif
static int solve(int n, const double *A, const double *b, double *x)
{
    int rc = -1;
    double *L = NULL, *y = NULL;
    int i, j, k;
    L = (double *)malloc(n * n * sizeof(double));
    CHECK(L);
    y = malloc(n * sizeof *y);
    CHECK(y);
    memset(L, 0, n * n * sizeof(double));
    for (j = 0; j < n; j++) {
        double d = A[j * n + j];
        for (k = 0; k < j; k++) d -= L[j * n + k] * L[j * n + k];
        if (d <= 0) { rc = j + 1; goto cleanup; }
        L[j * n + j] = sqrt(d);
        for (i = j + 1; i < n; i++) {
            double t = A[i * n + j];
            for (k = 0; k < j; k++) t -= L[i * n + k] * L[j * n + k];
            L[i * n + j] = t / L[j * n + j];
        }
    }
    for (i = 0; i < n; i++) {
        y[i] = b[i];
        for (k = 0; k < i; k++) y[i] -= L[i * n + k] * y[k];
        y[i] /= L[i * n + i];
    }
    for (i = n; i-- > 0;) {
        x[i] = y[i];
        for (k = i + 1; k < n; k++) x[i] -= L[k * n + i] * x[k];
        x[i] /= L[i * n + i];
    }
    rc = 0;
cleanup:
    if (rc) fprintf(stderr, "solve: %d\n", rc);
    free(L);
    free(y);
    return rc;
}
double solve_quad(int n, const double *A, const double *b)
{
    double *x = malloc(sizeof(double) * n), r = 0;
    if (!x) return -1;
    if (solve(n, A, b, x) == 0)
        for (int i = 0; i < n; i++) r += x[i] * b[i];
    free(x);
    return r;
}
static double model(double t, const double *p, double *g)
{
    double e = exp(-p[1] * t);
    if (g) { g[0] = e; g[1] = -t * p[0] * e; }
    return p[0] * e;
}
double lm(const double *p0, const double *t, const double *y, int m);
double lm(const double *p, const double *t, const double *y, int m)
{
    double q[2], lambda = 1e-3, best;
    memcpy(q, p, sizeof q);
    best = 0;
    for (int i = 0; i < m; i++) { double r = y[i] - model(t[i], q, NULL); best += r * r; }
    for (int it = 0; it < 4; it++) {
        double JTJ[2][2] = {{0}}, JTr[2] = {0, 0}, g[2], step[2], trial[2], sum = 0;
        for (int i = 0; i < m; i++) {
            double r = y[i] - model(t[i], q, g);
            for (int a = 0; a < 2; a++) {
                JTr[a] += g[a] * r;
                for (int b = 0; b <= a; b++) JTJ[a][b] += g[a] * g[b];
            }
        }
        JTJ[0][1] = JTJ[1][0];
        JTJ[0][0] *= 1 + lambda; JTJ[1][1] *= 1 + lambda;
        double det = JTJ[0][0] * JTJ[1][1] - JTJ[0][1] * JTJ[1][0];
        step[0] = (JTJ[1][1] * JTr[0] - JTJ[0][1] * JTr[1]) / det;
        step[1] = (JTJ[0][0] * JTr[1] - JTJ[1][0] * JTr[0]) / det;
        for (int a = 0; a < 2; a++) trial[a] = q[a] + step[a];
        for (int i = 0; i < m; i++) { double r = y[i] - model(t[i], trial, NULL); sum += r * r; }
        if (sum < best) { best = sum; memcpy(q, trial, sizeof(q)); lambda /= 10; }
        else lambda *= 10;
    }
    return q[0] + 10 * q[1] + best;
}
