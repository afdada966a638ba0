#include "newton.h"

#include <math.h>

double newton(int n, const double *a, double b)
{
    double total = 0.0;
    for (int i = 0; i < n; i++) {
        double x = b / (a[i] + 1.0);
        double r = x * x * x + a[i] * x - b;
        while (fabs(r) > 1e-12) {
            x -= r / (3.0 * x * x + a[i]);
            r = x * x * x + a[i] * x - b;
        }
        total += x;
    }
    return total;
}
