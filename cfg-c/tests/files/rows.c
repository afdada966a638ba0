//@ trace {"n":3,"x":[1.5,2.0,-0.5]}
//@ cleared {"n":2,"m":3,"x":[1.5,2.0,-0.5]}
//@ solve {"n":2,"x":[4.0,1.0,2.0,3.0],"b":[1.0,2.0]}
/* Rows behind pointers. */
#include <stdlib.h>
static double total(int n, int m, double **a)
{
    double s = 0;
    for (int i = 0; i < n; i++) {
        const double *row = a[i];
        for (int j = 0; j < m; j++) s += row[j] * (*a)[j] + a[i][j];
    }
    return s;
}
static double sum(int n, const double *v) { double s = 0; while (n--) s += *v * *v, v++; return s; }
double trace(int n, const double *x)
{
    double **a = malloc(n * sizeof *a), s = 0;
    for (int i = 0; i < n; i++) {
        a[i] = malloc(n * sizeof **a);
        if (!a[i]) return 0;
        for (int j = 0; j < n; j++) a[i][j] = x[j] * x[i] * (i + 1);
    }
    for (int i = 0; i < n; i++) s += a[i][i] + sum(n, a[i]);
    s += total(n, n, a);
    for (int i = 0; i < n; i++) free(a[i]);
    free(a);
    return s;
}
double cleared(int n, int m, const double *x)
{
    double **a, s = 0;
    a = (double **) malloc(sizeof(double *) * n);
    if (a == NULL) return -1;
    for (int i = 0; i < n; i++) a[i] = (double *) calloc(m, sizeof(double));
    for (int j = 0; j < m; j++) a[n - 1][j] = x[j] * x[0];
    double *p = a[1];
    for (int j = 0; j < m; j++) s += *p++ * (j + 1);
    return s * total(n, m, a) + a[0][1];
}
static void eliminate(double **a, double *b, int n)
{
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            double *r = a[i], *q = a[k], f = r[k] / q[k];
            for (int j = k; j < n; j++) r[j] -= f * q[j];
            b[i] -= f * b[k];
        }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) b[i] -= a[i][j] * b[j];
        b[i] /= a[i][i];
    }
}
void solve(int n, const double *x, double *b)
{
    double **a = malloc(n * sizeof(double *));
    for (int i = 0; i < n; i++) a[i] = malloc(n * sizeof(double));
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i][j] = x[i * n + j];
    eliminate(a, b, n);
    for (int i = 0; i < n; i++) free(a[i]);
    free(a);
}
