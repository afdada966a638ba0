//@ jacobi2d {"n": 4, "m": 5, "u": [[1,2,3,4,5],[2,0,0,0,1],[3,0,0,0,2],[1,1,2,2,1]], "iters": 3}
//@ walked {"n": 3, "x": [1, 2, 3], "y": [0.5, 0.25, 4], "second": 1}
//@ sizes {"n": 3, "x": [1, 2, 3]}
/* Pointers that may point into several arrays are compared; sizes of array types. */
#include <stdlib.h>
#include <string.h>
double jacobi2d(int n, int m, double u[n][m], int iters)
{
    double v[n][m], (*cur)[m] = u, (*nxt)[m] = v, s = 0;
    memcpy(v, u, sizeof v);
    for (int it = 0; it < iters; it++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                nxt[i][j] = 0.25 * (cur[i-1][j] + cur[i+1][j] + cur[i][j-1] + cur[i][j+1]);
        double (*t)[m] = cur;
        cur = nxt;
        nxt = t;
    }
    for (double *p = &cur[0][0]; p < &cur[0][0] + m; p++)
        s += *p;
    for (int i = 0; i < n; i++)
        s += cur[i][m / 2];
    return s;
}

double walked(int n, const double *x, const double *y, int second)
{
    const double *a = second ? y : x, *p = a, *end = a + n;
    double s = 1;
    while (p < end)
        s = 0.5 * s + *p++;
    return s * (double)(p - a);
}

double sizes(int n, const double *x)
{
    double *a = malloc(sizeof(double[n])), (*b)[2] = malloc(sizeof(double[n][2])), s = 0;
    for (int i = 0; i < n; i++)
        a[i] = b[i][0] = x[i];
    for (int i = 0; i < n; i++)
        b[i][1] = a[n - 1 - i] * a[i];
    for (int i = 0; i < n; i++)
        s += b[i][0] * b[i][1];
    free(a);
    free(b);
    return s;
}
