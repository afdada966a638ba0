#include "kmeans.h"

#include <math.h>

double kmeans_grad(int n, int d, int k, const double *restrict c, double *restrict c_b, const double *restrict x)
{
    /* the adjoint but for the factor 2 */
    double f = 0.0, sum[k * d];
    for (int j = 0; j < k * d; j++)
        sum[j] = 0.0;
    for (int i = 0; i < n; i++) {
        double least = INFINITY;
        /* where the nearest centre starts; none is, if all distances are NaN */
        int nearest = -1;
        for (int j = 0; j < k; j++) {
            double s = 0.0;
            for (int r = 0; r < d; r++) {
                const double t = x[i * d + r] - c[j * d + r];
                s += t * t;
            }
            nearest = s < least ? j * d : nearest;
            least = s < least ? s : least;
        }
        f += least;
        if (nearest >= 0)
            for (int r = 0; r < d; r++)
                sum[nearest + r] += c[nearest + r] - x[i * d + r];
    }
    for (int j = 0; j < k * d; j++)
        c_b[j] += 2.0 * sum[j];
    return f;
}
