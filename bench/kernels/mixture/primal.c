#include "mixture.h"

#include <math.h>

double mixture(int n, int d, int m, const double *alpha, const double *mu, const double *q, const double *l,
               const double *x)
{
    double e[m * d], trace[m], s[m], c[d], top, z;
    for (int k = 0; k < m; k++) {
        trace[k] = 0.0;
        for (int j = 0; j < d; j++) {
            e[k * d + j] = exp(q[k * d + j]);
            trace[k] += q[k * d + j];
        }
    }
    double f = 0.0;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < m; k++) {
            double norm = 0.0;
            for (int j = 0; j < d; j++) {
                c[j] = x[i * d + j] - mu[k * d + j];
                double y = e[k * d + j] * c[j];
                for (int r = 0; r < j; r++)
                    y += l[(k * d + j) * d + r] * c[r];
                norm += y * y;
            }
            s[k] = alpha[k] + trace[k] - 0.5 * norm;
        }
        top = s[0];
        for (int k = 1; k < m; k++)
            if (s[k] > top)
                top = s[k];
        z = 0.0;
        for (int k = 0; k < m; k++)
            z += exp(s[k] - top);
        f = f + top + log(z);
    }
    top = alpha[0];
    for (int k = 1; k < m; k++)
        if (alpha[k] > top)
            top = alpha[k];
    z = 0.0;
    for (int k = 0; k < m; k++)
        z += exp(alpha[k] - top);
    return f - n * (top + log(z));
}
