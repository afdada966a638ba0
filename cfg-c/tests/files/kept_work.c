//@ f {"n":3,"x":[0.3,0.5,0.7]}
/* A work array that is kept between calls and grows. */
#include <stdlib.h>
static double *work;
static int size;
static double *get(int n)
{
    if (n > size) { work = realloc(work, n * sizeof(double)); size = n; }
    return work;
}
double f(int n, const double *x)
{
    double *w = get(n);
    for (int i = 0; i < n; i++) w[i] = x[i] * x[i];
    double *v = get(2 * n);
    double s = 0;
    for (int i = 0; i < n; i++) { v[n + i] = v[i] * x[i]; s += v[n + i]; }
    return s;
}
