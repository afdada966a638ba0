//@ squares {"n": 3, "x": [1.5, 2.5, -0.5]}
//@ rescaled {"n": 3, "dx": [0.5, 2.0, 1.25]}
//@ rescaled {"n": 1, "dx": [0.5]}
//@ sampled {"n": 2, "m": 3, "x": [0.5, 1.5], "at": [0.1, 0.2, 0.3]}
//@ differences {"x": [0.1, 0.4, 0.5, 0.9], "y": [1.0, 2.0, 0.5, 3.0], "n": 4}
//@ primes {"n": 5, "x": [2.5, 0.5, 1.5, 3.5, 0.75]}
/* Functions that return memory which they allocate: an array. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
double *squares(int n, const double *x)
{
    double *r = malloc(n * sizeof *r);
    for (int i = 0; i < n; i++)
        r[i] = x[i] * x[i];
    return r;
}
/* Without memory there is no result. */
double *rescaled(unsigned n, const double *dx)
{
    double *s = (double *)malloc(sizeof(double) * n);
    unsigned i;
    if (!s)
        return NULL;
    for (i = 0; i < n; ++i)
        s[i] = 1.0;
    if (n == 1)
        return s;
    for (i = 1; i < n && dx[i] == dx[i - 1]; ++i)
        ;
    if (i < n)
        for (i = 1; i < n; ++i)
            s[i] = dx[i] / dx[0];
    return s;
}
static double *vector(int n)
{
    double *v = calloc(n, sizeof *v);
    if (v == NULL)
        exit(1);
    return v;
}
/* The memory comes from another function, and other memory ends before. */
double *sampled(int n, int m, const double *x, const double *at)
{
    double *r = vector(m), *work = vector(n);
    for (int i = 0; i < n; i++)
        work[i] = exp(x[i]);
    for (int k = 0; k < m; k++)
        for (int i = 0; i < n; i++)
            r[k] += work[i] * pow(at[k], i);
    free(work);
    return r;
}
/* Where pointers are values. */
double *differences(double *x, double *y, int n)
{
    double *table[2] = {vector(n), vector(n)};
    double *r = vector(n);
    memcpy(table[0], y, n * sizeof(double));
    r[0] = y[0];
    for (int i = 0, row = 0, size = n; i < n - 1; i++, size--) {
        for (int j = 0; j < size - 1; j++)
            table[(row + 1) % 2][j] = (table[row][j + 1] - table[row][j]) / (x[j + i + 1] - x[j]);
        r[i + 1] = table[(row + 1) % 2][0];
        row = (row + 1) % 2;
    }
    free(table[0]);
    free(table[1]);
    return r;
}
/* The size is known in the end only. */
double *primes(int n, const double *x)
{
    int k = 0;
    double *r = NULL;
    for (int i = 0; i < n; i++)
        if (x[i] > 1.0) {
            r = realloc(r, (k + 1) * sizeof *r);
            r[k++] = x[i] * x[i] * x[0];
        }
    return r;
}
