//@ det {"in": [4, 1, 0.5, 1, 5, 1, 0.5, 1, 6], "n": 3}
//@ lines {"n": 3, "m": 2, "x": [1, 2, 3, 4, 5, 6]}
//@ contiguous {"n": 3, "m": 2, "x": [1, 2, 3, 4, 5, 6]}
//@ square {"n": 2, "x": [1, 2, 3, 4]}
//@ held {"n": 2, "x": [1, 2, 3, 4]}
#include <stdlib.h>
#include <stdio.h>
#include <math.h>
double det(const double *in, int n)
{
	double d = 1, *work = malloc(n * n * sizeof(double)), *a[4];
	int i, j, k;
	for (i = 0; i < n; i++) a[i] = work + i * n;
	for (i = 0; i < n; i++) for (j = 0; j < n; j++) a[i][j] = in[i*n + j];
	for (k = 0; k < n; k++) {
		d *= a[k][k];
		for (i = k + 1; i < n; i++) {
			double f = a[i][k] / a[k][k];
			for (j = k; j < n; j++) a[i][j] -= f * a[k][j];
		}
	}
	free(work);
	return d;
}
double lines(int n, int m, double *x)
{
    double **a = malloc(n * sizeof(double *)), s = 0;
    for (int i = 0; i < n; i++) a[i] = &x[i * m];
    for (int i = 0; i < n; i++) {
        double *p = a[i], *q = p + m;
        while (p < q) { s += *p * a[(i + 1) % n][0]; *p++ *= 2; }
    }
    free(a);
    return s + x[n * m - 1];
}
static double **alloc2(int n, int m)
{
    double **a = (double **)malloc(n * sizeof(*a));
    if (a == NULL) return NULL;
    a[0] = (double *)calloc(n * m, sizeof(**a));
    if (!a[0]) { free(a); return NULL; }
    for (int i = 1; i < n; i++) a[i] = a[i - 1] + m;
    return a;
}
static void free2(double **a) { free(a[0]); free(a); }
static double total(double **a, int n, int m)
{
    double s = 0;
    for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) s += a[i][j] * (i + 2 * j);
    return s;
}
static void fill(double **a, int n, int m, const double *x)
{
    for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i][j] = x[i * m + j] * x[j];
}
double contiguous(int n, int m, const double *x)
{
    double **a = alloc2(n, m), **b = alloc2(m, n);
    fill(a, n, m, x);
    for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) b[j][i] = a[i][j] * a[0][j];
    double s = total(a, n, m) - total(b, m, n);
    free2(a);
    free2(b);
    return s;
}
static void mul(int n, double **a, double **b, double **c)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            c[i][j] = 0;
            for (int k = 0; k < n; k++) c[i][j] += a[i][k] * b[k][j];
        }
}
double square(int n, const double *x)
{
    double **a = alloc2(n, n), **b = alloc2(n, n), **c = alloc2(n, n);
    fill(a, n, n, x);
    mul(n, a, a, b);
    mul(n, a, b, c);
    return c[0][n - 1] + total(b, n, n);
}
typedef struct { int n; double **v; } mat;
static mat mat_new(int n)
{
    mat m;
    m.n = n;
    m.v = malloc(n * sizeof *m.v);
    m.v[0] = malloc(n * n * sizeof(double));
    for (int i = 1; i < n; i++) m.v[i] = m.v[0] + i * n;
    return m;
}
double held(int n, const double *x)
{
    mat m = mat_new(n);
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) m.v[i][j] = sin(x[i * n + j]);
    double s = 0;
    for (int i = 0; i < n; i++) s += m.v[i][i] * m.v[n - 1 - i][i];
    free(m.v[0]); free(m.v);
    return s;
}
