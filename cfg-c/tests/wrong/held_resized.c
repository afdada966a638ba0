#include <stdlib.h>
double f(int n, double *x)
{
    double s = 0, *keep = NULL;
    for (int i = 0; i < n; i++) {
        double *p = NULL;
        p = realloc(p, 2 * sizeof *p);
        p[0] = x[i];
        if (keep) s += keep[0];
        keep = p;
    }
    return s;
}
