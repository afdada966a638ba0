#include "kmeans.h"

#include <math.h>

double kmeans(int n, int d, int k, const double *c, const double *x)
{
    double f = 0.0;
    for (int i = 0; i < n; i++) {
        double least = INFINITY;
        for (int j = 0; j < k; j++) {
            double s = 0.0;
            for (int r = 0; r < d; r++) {
                const double t = x[i * d + r] - c[j * d + r];
                s += t * t;
            }
            if (s < least)
                least = s;
        }
        f += least;
    }
    return f;
}
