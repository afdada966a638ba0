//@ heat {"u":[[0,1,2,0],[1,3,2,1],[0,0,1,0.5]],"k":0.1,"steps":2}
#include <stdlib.h>
#include <math.h>
/* An implicit heat step with conjugate gradients on grids that are pointers to rows. */
enum { NX = 4, NY = 3 };
typedef double grid[NY][NX];
static double dot(double (*a)[NX], double (*b)[NX])
{
    double s = 0;
    for (int j = 0; j < NY; ++j) for (int i = 0; i < NX; ++i) s += a[j][i] * b[j][i];
    return s;
}
static void apply(double (*y)[NX], double (*x)[NX], double k)
{
    for (int j = 0; j < NY; ++j)
        for (int i = 0; i < NX; ++i) {
            double l = i > 0 ? x[j][i - 1] : 0, r = i < NX - 1 ? x[j][i + 1] : 0;
            double d = j > 0 ? x[j - 1][i] : 0, u = j < NY - 1 ? x[j + 1][i] : 0;
            y[j][i] = x[j][i] + k * (4 * x[j][i] - l - r - d - u);
        }
}
double heat(double u[NY][NX], double k, int steps)
{
    double (*r)[NX] = malloc(sizeof(grid)), (*p)[NX] = malloc(sizeof(grid));
    double (*q)[NX] = malloc(sizeof(double[NY][NX]));
    while (steps--) {
        apply(q, u, k);
        double rr = 0;
        for (int j = 0; j < NY; ++j) for (int i = 0; i < NX; ++i) { p[j][i] = r[j][i] = u[j][i] - q[j][i]; rr += r[j][i] * r[j][i]; }
        int it = 0;
        while (rr > 1e-20 && it++ < 50) {
            apply(q, p, k);
            double alpha = rr / dot(p, q), old = rr;
            for (int n = 0; n < NX * NY; n++) { u[n / NX][n % NX] += alpha * p[n / NX][n % NX]; r[n / NX][n % NX] -= alpha * q[n / NX][n % NX]; }
            rr = dot(r, r);
            for (int j = 0; j < NY; ++j) for (int i = 0; i < NX; ++i) p[j][i] = r[j][i] + rr / old * p[j][i];
        }
    }
    free(r); free(p); free(q);
    return u[1][1] + u[2][3];
}
