//@ solve {"n":3,"a":[0.5,2.0,1.0,4.0,1.0,0.5,1.0,3.0,5.0],"b":[1.0,2.0,3.0]}
/* Gaussian elimination with row pivots by pointers to rows. */
#include <math.h>
double solve(int n, double *a, double *b)
{
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++) if (fabs(a[i * n + k]) > fabs(a[p * n + k])) p = i;
        if (a[p * n + k] == 0) return -1;
        if (p != k) {
            double *u = a + k * n, *v = a + p * n, t;
            for (int j = 0; j < n; j++, u++, v++) t = *u, *u = *v, *v = t;
            t = b[k], b[k] = b[p], b[p] = t;
        }
        for (int i = k + 1; i < n; i++) {
            double f = a[i * n + k] / a[k * n + k];
            for (int j = k; j < n; j++) a[i * n + j] -= f * a[k * n + j];
            b[i] -= f * b[k];
        }
    }
    double s = 0;
    for (int i = n; i-- > 0; ) {
        for (int j = i + 1; j < n; j++) b[i] -= a[i * n + j] * b[j];
        b[i] /= a[i * n + i];
        s += b[i] * b[i];
    }
    return s;
}
