#include "helmholtz.h"

#include <math.h>

double helmholtz(int m, int n, double t, const double *a, const double *b, const double *x)
{
    double energy = 0.0;
    for (int k = 0; k < m; k++) {
        const double *share = x + k * n;
        double volume = 0.0;
        for (int i = 0; i < n; i++)
            volume += b[i] * share[i];
        const double free = 1.0 - volume;
        double ideal = 0.0, pull = 0.0;
        for (int i = 0; i < n; i++) {
            ideal += share[i] * log(share[i] / free);
            double y = 0.0;
            for (int j = 0; j < n; j++)
                y += a[i * n + j] * share[j];
            pull += share[i] * y;
        }
        energy = energy + t * ideal
                 - pull / (sqrt(8.0) * volume)
                       * log((1.0 + (1.0 + sqrt(2.0)) * volume) / (1.0 + (1.0 - sqrt(2.0)) * volume));
    }
    return energy;
}
