//@ call {"s":100.0,"k":95.0,"r":0.03,"sigma":0.25,"t":0.75}
//@ implied {"price":12.0,"s":100.0,"k":95.0,"r":0.03,"t":0.75} --fd-tolerance 1e-4
#include <math.h>
static double cdf(double x) { return 0.5 * erfc(-x * M_SQRT1_2); }
double call(double s, double k, double r, double sigma, double t)
{
    double d1 = (log(s / k) + (r + 0.5 * sigma * sigma) * t) / (sigma * sqrt(t)), d2 = d1 - sigma * sqrt(t);
    return s * cdf(d1) - k * exp(-r * t) * cdf(d2);
}
double implied(double price, double s, double k, double r, double t)
{
    double v = 0.3, h = 1e-4, e;
    int rounds = 0;
    do {
        e = call(s, k, r, v, t) - price;
        double slope = (call(s, k, r, v + h, t) - call(s, k, r, v - h, t)) / (2 * h);
        v -= e / slope;
    } while (fabs(e) > 1e-11 && ++rounds < 50);
    return v;
}
