//@ root {"a":0.5,"b":2.0} --independent a --fd-tolerance 1e-3
//@ golden {"p":1.25} --fd-tolerance 1e-3
#include <math.h>
static double f(double x, double p) { return x * x * x - p * x - 1; }
double root(double a, double b)
{
    double lo = 0, hi = 3, m = 0;
    for (int i = 0; i < 30; i++) {
        m = 0.5 * (lo + hi);
        if (fabs(f(m, a)) < 1e-3) break;
        (f(m, a) > 0) ? (hi = m) : (lo = m);
    }
    for (int i = 0; i < 4; i++) m -= f(m, a) / (3 * m * m - a);
    return m * b;
}
double golden(double p)
{
    const double r = 0.5 * (sqrt(5.0) - 1);
    double lo = 0, hi = 2, x = hi - r * (hi - lo), y = lo + r * (hi - lo), fx = f(x, p), fy = f(y, p);
    for (int i = 0; i < 12; i++) {
        if (fx < fy) { hi = y; y = x; fy = fx; x = hi - r * (hi - lo); fx = f(x, p); }
        else { lo = x; x = y; fx = fy; y = lo + r * (hi - lo); fy = f(y, p); }
    }
    return fx + fy;
}
