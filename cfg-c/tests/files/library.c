//@ elementary {"x":[0.5,0.25,1.75]}
//@ special {"x":[0.5,1.25,2.75]}
//@ rounding {"x":[0.6,1.25,-2.75]}
//@ extrema {"x":[0.5,1.25,-2.75]}
//@ tests {"x":[0.5,1.25,-2.75]}
//@ integers {"k":-7,"x":[0.5,1.25]}
#include <math.h>
#include <stdlib.h>
double elementary(const double *x)
{
    double a = x[0], b = x[1], c = x[2];
    return sin(a) + cos(b) * tan(a) + asin(a) * acos(b) + atan(c) + atan2(a, c) + sinh(a) + cosh(b) + tanh(c)
         + asinh(a) + acosh(c) + atanh(b) + exp(a) * log(c) + log2(b) + log10(c) + log1p(a) * expm1(b) + pow(a, b)
         + pow(c, 3) + sqrt(c) + cbrt(a) + hypot(a, b) + fma(a, b, c);
}
double special(const double *x) { return erf(x[0]) + erfc(x[1]) * lgamma(x[2]) + tgamma(x[1]) * lgamma(x[0]); }
double rounding(const double *x)
{
    return floor(x[1]) * x[0] + ceil(x[2]) * x[1] + trunc(x[2]) + round(x[0]) * x[2] + fmod(x[1], x[0] + 0.25) + lround(x[2]) * x[0];
}
double extrema(const double *x)
{
    return fmax(x[0], x[1]) * fmin(x[1], x[2]) + fabs(x[2]) * copysign(x[0], x[2]) + fmax(fmax(x[0], 3.0), x[2]) + fmin(NAN, x[0]);
}
double tests(const double *x)
{
    double s = x[0];
    if (isnan(x[0]) || isinf(x[1])) s = INFINITY;
    if (isfinite(x[2])) s *= x[2];
    if (signbit(x[2])) s += x[1];
    if (isgreater(x[0], x[1]) || isless(x[1], x[0])) s = 0;
    return HUGE_VAL > s ? s + x[0] * M_E : s * M_PI;
}
double integers(int k, const double *x) { return abs(k) * x[0] + labs((long) k - 1) * x[1] + llabs(k % 4); }
