//@ chosen {"n":3,"x":[1.5,2.0,-0.5],"t":0.75,"y":[0.0,0.0,0.0]}
//@ inside {"x":[1.5,2.0],"t":0.75}
//@ checked {"n":2,"x":[1.5,2.0]}
/* Pragmas choose what is differentiated; what never happens is not read. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
static double scale = 2.0;
#pragma cfgrev independent(x, scale) dependent(y)
double chosen(int n, const double *x, double t, double *y)
{
    for (int i = 0; i < n; i++) y[i] = x[i] * t * scale;
    return t * t;
}
double inside(const double *x, double t)
{
#pragma cfgrev independent(t)
#pragma cfgrev dependent(return)
    return x[0] * t + x[1] * t * t;
}
double checked(int n, const double *x)
{
    double *w = malloc(n * sizeof *w), s = 0;
    assert(w);
    assert(sizeof(double) == 8);
    if (!w) {
        fprintf(stderr, "no memory\n");
        exit(EXIT_FAILURE);
    }
    for (int i = 0; i < n; i++) w[i] = x[i] * x[i];
    for (int i = 0; i < n; i++) s += w[i];
    free(w);
    if (0) abort();
    return s;
}
