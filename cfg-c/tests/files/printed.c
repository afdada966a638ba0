//@ counted {"n": 3, "x": [0.5, 0.25, 2.0]}
//@ unordered {"x": 0.5, "y": -1.5}
/* What printing leaves out: the output, not what its arguments change. Macros of comparison. */
#include <math.h>
#include <stdio.h>

static double last;
static double remember(double x) { return last = tanh(x) * last + x; }

double counted(int n, double *x)
{
    int k = 0;
    last = 1;
    fprintf(stderr, "%d\n", k++);
    fprintf(stderr, "%d %g\n", k++, x[0] *= 2);
    while (k < n)
        fprintf(stderr, "%g\n", remember(x[k++]));
    fprintf(stderr, "%g %d\n", remember(last), n);
    return last + k * x[0];
}

double unordered(double x, double y)
{
    double s = x * y, nothing = NAN;
    if (isunordered(x, y))
        s = 1;
    if (isunordered(nothing, y))
        s += x;
    if (islessgreater(x, y))
        s *= 2;
    if (islessgreater(x, nothing))
        s = 0;
    s += fdim(x, y) + fdim(y, x) + 2 * fdimf(x, -1.5f);
    return islessgreater(x, x) ? 0 : s;
}
