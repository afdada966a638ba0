//@ solve {"n":3,"a":[0.5,2.0,1.0,4.0,1.0,0.5,1.0,3.0,5.0],"b":[1.0,2.0,3.0]}
//! solve {"n":2,"a":[1.0,2.0,2.0,4.0],"b":[1.0,2.0]} 13 exit(1)
//! solve {"n":0,"a":[],"b":[]} 13 exit(1)
/* Gaussian elimination that ends the program where a matrix is singular. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void die(const char *where, const char *why)
{
    fprintf(stderr, "%s: %s\n", where, why ? why : "failed");
    fflush(stderr);
    exit(EXIT_FAILURE);
}

static void singular(const char *where)
{
    die(where, "the matrix is singular");
}

static int pivot(int n, const double *a, int k)
{
    int p = k;
    for (int i = k + 1; i < n; i++)
        if (fabs(a[i * n + k]) > fabs(a[p * n + k]))
            p = i;
    if (a[p * n + k] == 0)
        singular(__func__);
    return p;
}

double solve(int n, double *a, double *b)
{
    if (n < 1)
        die("solve", "there are no equations");
    for (int k = 0; k < n; k++) {
        int p = pivot(n, a, k);
        if (p != k) {
            for (int j = 0; j < n; j++) {
                double t = a[k * n + j];
                a[k * n + j] = a[p * n + j];
                a[p * n + j] = t;
            }
            double t = b[k];
            b[k] = b[p];
            b[p] = t;
        }
        for (int i = k + 1; i < n; i++) {
            double f = a[i * n + k] / a[k * n + k];
            for (int j = k; j < n; j++)
                a[i * n + j] -= f * a[k * n + j];
            b[i] -= f * b[k];
        }
    }
    double s = 0;
    for (int i = n; i-- > 0;) {
        for (int j = i + 1; j < n; j++)
            b[i] -= a[i * n + j] * b[j];
        b[i] /= a[i * n + i];
        s += b[i] * b[i];
    }
    return s;
}
