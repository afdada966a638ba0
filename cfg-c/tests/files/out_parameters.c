//@ roots {"a":1.0,"b":-3.0,"c":2.0,"lo":[0.0],"hi":[0.0]}
//@ roots {"a":1.0,"b":1.0,"c":2.0,"lo":[0.0],"hi":[0.0]}
//@ statistics {"n":4,"x":[1.5,2.5,0.5,0.25],"mean":[0],"var":[0],"most":[0]}
#include <math.h>
int roots(double a, double b, double c, double *lo, double *hi)
{
    double d = b * b - 4 * a * c;
    *lo = *hi = -b / (2 * a);
    if (d < 0) return 0;
    double r = sqrt(d) / (2 * a);
    *lo -= r;
    *hi += r;
    return 2;
}
static void moments(int n, const double *x, double *m, double *v)
{
    double s = 0, q = 0;
    for (int i = 0; i < n; i++) s += x[i], q += x[i] * x[i];
    *m = s / n;
    *v = q / n - *m * *m;
}
void statistics(int n, const double *x, double *mean, double *var, double *most)
{
    double lo, hi;
    moments(n, x, mean, var);
    *most = 0;
    if (roots(1, -*mean, *mean * *mean / 4 - *var, &lo, &hi)) *most = fmax(lo * lo, hi);
}
