//@ from_vectors {"n":2,"m":3,"x":[1.0,0.2,0.3,1.4,0.5,0.6]}
//@ constant_rows {"n":2,"m":3,"x":[1.0,0.2,0.3,1.4,0.5,0.6]}
//@ with_values {"x":[0.4,0.9,1.6,0.25]}
/* Matrices that are copied from vectors and from each other by the size of their elements, and passed as matrices of constants. */
#include <stdlib.h>
#include <string.h>

double from_vectors(int n, int m, const double *x)
{
    double a[n][m], b[2][3], s = 0.0;
    memcpy(a, x, n * m * sizeof(double));
    memset(b, 0, 6 * sizeof(double));
    memcpy(b, a, n * sizeof *a);
    b[1][2] *= x[0];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            s += a[i][j] * b[i][j] * (i + 2 * j + 1);
    memset(a, 0, n * m * sizeof(double));
    return s + a[0][0] + a[n - 1][m - 1];
}

static void product(int n, int m, const double (*a)[m], const double *v, double *out)
{
    for (int i = 0; i < n; i++) {
        out[i] = 0.0;
        for (int j = 0; j < m; j++)
            out[i] += a[i][j] * v[j];
    }
}

double constant_rows(int n, int m, const double *x)
{
    double (*a)[m] = malloc(sizeof(double[n][m]));
    double v[m], w[n], s = 0.0;
    memcpy(a, x, n * m * sizeof(double));
    for (int j = 0; j < m; j++)
        v[j] = x[j] * x[j];
    product(n, m, (const double (*)[m])a, v, w);
    for (int i = 0; i < n; i++)
        s += w[i] * w[i];
    free(a);
    return s;
}

double with_values(const double x[4])
{
    double a[2][2], t = x[0], *p = &t, **q = &p, *kept[2] = {&a[0][0], p};
    memset(a, 0, 4 * sizeof(double));
    memcpy(a, x, 4 * sizeof(double));
    **q += 1.0;
    *kept[x[1] > 100.0] += x[2];
    return a[0][0] * a[1][1] + a[0][1] * t;
}
