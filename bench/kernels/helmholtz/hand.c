#include "helmholtz.h"

#include <math.h>

double helmholtz_grad(int m, int n, double t, double *restrict t_b, const double *restrict a, const double *restrict b,
                      const double *restrict x, double *restrict x_b)
{
    double energy = 0.0, t_sum = 0.0;
    double logs[n], y_sum[n];
    for (int k = 0; k < m; k++) {
        const double *share = x + k * n;
        double *restrict share_b = x_b + k * n;
        double volume = 0.0;
        for (int i = 0; i < n; i++)
            volume += b[i] * share[i];
        const double free = 1.0 - volume;
        double ideal = 0.0, pull = 0.0, sum = 0.0;
        for (int i = 0; i < n; i++)
            y_sum[i] = 0.0;
        for (int i = 0; i < n; i++) {
            const double si = share[i];
            logs[i] = log(share[i] / free);
            ideal += share[i] * logs[i];
            sum += si;
            double y = 0.0;
            const double *restrict ai = a + i * n;
            /* the products with a's rows, and with its columns, which the adjoint has besides: the additions to y wait
             * for each other, those to y_sum fill the gaps, and four at a time they are vectors even at -O2 */
            int j = 0;
            for (; j + 4 <= n; j += 4) {
                y += ai[j] * share[j];
                y += ai[j + 1] * share[j + 1];
                y += ai[j + 2] * share[j + 2];
                y += ai[j + 3] * share[j + 3];
                y_sum[j] += ai[j] * si;
                y_sum[j + 1] += ai[j + 1] * si;
                y_sum[j + 2] += ai[j + 2] * si;
                y_sum[j + 3] += ai[j + 3] * si;
            }
            for (; j < n; j++) {
                y += ai[j] * share[j];
                y_sum[j] += ai[j] * si;
            }
            pull += share[i] * y;
            y_sum[i] += y;
        }
        const double up = 1.0 + (1.0 + sqrt(2.0)) * volume, down = 1.0 + (1.0 - sqrt(2.0)) * volume;
        const double l = log(up / down), w = pull / (sqrt(8.0) * volume);
        energy = energy + t * ideal - w * l;
        t_sum += ideal;
        const double pull_b = -l / (sqrt(8.0) * volume);
        const double volume_b = t * sum / free + w * (l / volume - (1.0 + sqrt(2.0)) / up + (1.0 - sqrt(2.0)) / down);
        for (int i = 0; i < n; i++)
            share_b[i] += t * logs[i] + t + pull_b * y_sum[i] + volume_b * b[i];
    }
    *t_b += t_sum;
    return energy;
}
