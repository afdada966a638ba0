//@ chain {"n":2,"a":[[1.0,2.0],[0.5,1.5]],"b":[[0.25,1.0],[2.0,0.75]],"k":3}
/* Matrices passed on, whole and by rows. */
#include <string.h>
static void multiply(int n, double c[restrict n][n], const double a[n][n], const double b[n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double s = 0;
            for (int k = 0; k < n; k++) s += a[i][k] * b[k][j];
            c[i][j] = s;
        }
}
static double norm(int n, const double *row) { double s = 0; while (n--) s += *row * *row, row++; return s; }
double chain(int n, const double a[n][n], const double b[n][n], int k)
{
    double c[n][n], d[n][n], s = 0;
    multiply(n, c, a, b);
    while (k-- > 1) {
        multiply(n, d, c, b);
        memcpy(c, d, sizeof c);
    }
    for (int i = 0; i < n; i++) s += norm(n, c[i]) * (i + 1);
    return s;
}
