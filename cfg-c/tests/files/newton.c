//@ newton {"p":1.25}
#include <math.h>
static int iterations;
static double g(double x, double p) { return x * x * x - p * x - 1.0; }
double newton(double p)
{
    double x = 2.0;
    iterations = 0;
    while (fabs(g(x, p)) > 1e-12 && iterations++ < 50)
        x -= g(x, p) / (3.0 * x * x - p);
    return x;
}
