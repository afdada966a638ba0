//@ det {"n":3,"m":[0.3,0.5,0.7,2.0,0.1,0.4,-0.3,0.8,0.9]}
/* Rows behind pointers that are exchanged: a determinant with pivots. */
#include <stdlib.h>
double det(int n, const double *m)
{
    double **a = malloc(n * sizeof *a);
    double d = 1.0;
    for (int i = 0; i < n; i++) {
        a[i] = malloc(n * sizeof(double));
        for (int j = 0; j < n; j++) a[i][j] = m[i * n + j];
    }
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++) {
            double u = a[i][k] < 0 ? -a[i][k] : a[i][k], v = a[p][k] < 0 ? -a[p][k] : a[p][k];
            if (u > v) p = i;
        }
        if (p != k) { double *t = a[p]; a[p] = a[k]; a[k] = t; d = -d; }
        d *= a[k][k];
        for (int i = k + 1; i < n; i++) {
            double l = a[i][k] / a[k][k];
            for (int j = k; j < n; j++) a[i][j] -= l * a[k][j];
        }
    }
    for (int i = 0; i < n; i++) free(a[i]);
    free(a);
    return d;
}
