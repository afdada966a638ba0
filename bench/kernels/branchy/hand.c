#include "branchy.h"

#include <math.h>

double branchy_grad(int n, const double *restrict x, double *restrict x_b)
{
    double s = 0.0;
    for (int i = 0; i < n; i++) {
        const double a = x[i];
        double v, d;
        if (a > 1.0) {
            v = log(a) + a;
            d = 1.0 / a + 1.0;
        } else if (a > 0.0) {
            const double sine = sin(a);
            v = a * sine;
            d = sine + a * cos(a);
        } else if (a > -1.0) {
            d = exp(a);
            v = d - 1.0;
        } else {
            const double r = 1.0 / (1.0 + a * a);
            v = a / (1.0 + a * a);
            d = r - 2.0 * v * v;
        }
        s += v * v;
        x_b[i] += 2.0 * v * d;
    }
    return s;
}
