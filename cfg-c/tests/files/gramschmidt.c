//@ gramschmidt {"m":3,"n":2,"a":[[1.0,2.0],[0.5,-1.0],[2.0,0.25]],"r":[[0.0,0.0],[0.0,0.0]],"q":[[0.0,0.0],[0.0,0.0],[0.0,0.0]]}
#include <math.h>
void gramschmidt(int m, int n, double a[restrict m][n], double r[restrict n][n], double q[restrict m][n])
{
    for (int k = 0; k < n; k++) {
        double nrm = 0.0;
        for (int i = 0; i < m; i++)
            nrm += a[i][k] * a[i][k];
        r[k][k] = sqrt(nrm);
        for (int i = 0; i < m; i++)
            q[i][k] = a[i][k] / r[k][k];
        for (int j = k + 1; j < n; j++) {
            r[k][j] = 0.0;
            for (int i = 0; i < m; i++)
                r[k][j] += q[i][k] * a[i][j];
            for (int i = 0; i < m; i++)
                a[i][j] = a[i][j] - q[i][k] * r[k][j];
        }
    }
}
