//@ largest {"n":3,"a":[[2.0,0.5,0.25],[0.5,3.0,0.75],[0.25,0.75,1.5]]} --fd-tolerance 1e-4
/* Jacobi's rotations until what is off the diagonal is small. */
#include <math.h>
double largest(int n, double a[n][n])
{
    for (int sweep = 0; sweep < 20; sweep++) {
        double off = 0;
        for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) off += a[i][j] * a[i][j];
        if (off < 1e-12) break;
        for (int p = 0; p < n - 1; p++)
            for (int q = p + 1; q < n; q++) {
                if (a[p][q] == 0) continue;
                double t, theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
                t = 1 / (fabs(theta) + sqrt(theta * theta + 1));
                if (theta < 0) t = -t;
                double c = 1 / sqrt(t * t + 1), s = t * c;
                for (int k = 0; k < n; k++) {
                    double x = a[k][p], y = a[k][q];
                    a[k][p] = c * x - s * y;
                    a[k][q] = s * x + c * y;
                }
                for (int k = 0; k < n; k++) {
                    double x = a[p][k], y = a[q][k];
                    a[p][k] = c * x - s * y;
                    a[q][k] = s * x + c * y;
                }
            }
    }
    double m = a[0][0];
    for (int i = 1; i < n; i++) m = fmax(m, a[i][i]);
    return m;
}
