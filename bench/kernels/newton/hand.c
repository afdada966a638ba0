#include "newton.h"

#include <math.h>

double newton_grad(int n, const double *restrict a, double *restrict a_b, double b, double *restrict b_b)
{
    double total = 0.0, b_sum = 0.0;
    for (int i = 0; i < n; i++) {
        const double ai = a[i];
        const double start = 1.0 / (ai + 1.0);
        double x = b / (ai + 1.0);
        double x_a = -x * start, x_c = start;
        double r = x * x * x + ai * x - b;
        while (fabs(r) > 1e-12) {
            const double w = 1.0 / (3.0 * x * x + ai);
            const double q = r / (3.0 * x * x + ai);
            const double keep = 6.0 * x * (q * w);
            x_a = keep * x_a + (q - x) * w;
            x_c = keep * x_c + w;
            x -= q;
            r = x * x * x + ai * x - b;
        }
        total += x;
        a_b[i] += x_a;
        b_sum += x_c;
    }
    *b_b += b_sum;
    return total;
}
