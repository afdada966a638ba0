#include "branchy.h"

#include <math.h>

double branchy(int n, const double *x)
{
    double s = 0.0;
    for (int i = 0; i < n; i++) {
        double v;
        if (x[i] > 1.0)
            v = log(x[i]) + x[i];
        else if (x[i] > 0.0)
            v = x[i] * sin(x[i]);
        else if (x[i] > -1.0)
            v = exp(x[i]) - 1.0;
        else
            v = x[i] / (1.0 + x[i] * x[i]);
        s += v * v;
    }
    return s;
}
