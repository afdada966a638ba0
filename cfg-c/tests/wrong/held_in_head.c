#include <stdlib.h>
double f(int n, double *x)
{
    double r = 0;
    int i = 0;
    for (double s = 0, *keep = NULL; i < n; i++) {
        double *p = malloc(2 * sizeof *p);
        p[0] = x[i];
        if (keep) s += keep[0];
        keep = p;
        r = s;
    }
    return r;
}
