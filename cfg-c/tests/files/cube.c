//@ smooth {"n":3,"x":[0.3,0.7,1.1],"w":0.6,"sweeps":2}
#include <stdlib.h>
#include <math.h>
/* A field in three dimensions behind pointers to pointers to pointers. */
static double ***alloc3(int nx, int ny, int nz)
{
    double ***a = malloc(nx * sizeof(double **));
    for (int i = 0; i < nx; i++) {
        a[i] = malloc(ny * sizeof(double *));
        for (int j = 0; j < ny; j++) a[i][j] = calloc(nz, sizeof(double));
    }
    return a;
}
static void free3(double ***a, int nx, int ny)
{
    for (int i = 0; i < nx; i++) { for (int j = 0; j < ny; j++) free(a[i][j]); free(a[i]); }
    free(a);
}
double smooth(int n, const double *x, double w, int sweeps)
{
    double ***u = alloc3(n, n, n), ***v = alloc3(n, n, n), ***t;
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) for (int k = 0; k < n; k++) u[i][j][k] = v[i][j][k] = x[i] * x[j] + sin(x[k]);
    while (sweeps-- > 0) {
        for (int i = 1; i < n - 1; i++) for (int j = 1; j < n - 1; j++) for (int k = 1; k < n - 1; k++)
            v[i][j][k] = (1 - w) * u[i][j][k] + w / 6 * (u[i-1][j][k] + u[i+1][j][k] + u[i][j-1][k] + u[i][j+1][k] + u[i][j][k-1] + u[i][j][k+1]);
        t = u; u = v; v = t;
    }
    double s = 0;
    for (int i = 0; i < n; i++) s += u[i][i][i] * u[1][i][1];
    free3(u, n, n); free3(v, n, n);
    return s;
}
