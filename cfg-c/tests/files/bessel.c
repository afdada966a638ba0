//@ bessel0 {"x":1.75}
//@ continued {"x":2.5,"n":12}
/* A power series and a continued fraction. */
#include <math.h>
double bessel0(double x)
{
    double term = 1, s = 1;
    for (int k = 1; fabs(term) > 1e-17 * fabs(s); k++) {
        term *= -x * x / (4.0 * k * k);
        s += term;
    }
    return s;
}
double continued(double x, int n)
{
    double f = 0;
    while (n > 0) { f = n / (x + f); n--; }
    return x / (x + f);
}
