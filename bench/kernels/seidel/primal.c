#include "seidel.h"

void seidel(int n, int sweeps, const double *restrict u0, double *restrict u, double *restrict f)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            u[i * n + j] = u0[i * n + j];
    for (int t = 0; t < sweeps; t++)
        for (int i = 1; i < n - 1; i++) {
            double *row = u + i * n, *above = row - n, *below = row + n;
            for (int j = 1; j < n - 1; j++)
                row[j] = (above[j - 1] + above[j] + above[j + 1] + row[j - 1] + row[j] + row[j + 1] + below[j - 1]
                          + below[j] + below[j + 1]) / 9.0;
        }
    double value = 0.0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            value += 0.5 * u[i * n + j] * u[i * n + j];
    *f = value;
}
