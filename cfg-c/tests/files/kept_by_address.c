//@ f {"x":1.25,"n":3}
/* Memory that is kept between calls, allocated through the address of the pointer that keeps it. */
#include <stdlib.h>
static double *work;
static void make(double **p, int n)
{
    if (!*p) {
        *p = calloc(n, sizeof **p);
        **p = 1;
    }
}
double f(double x, int n)
{
    make(&work, n);
    for (int i = 1; i < n; i++)
        work[i] = work[i - 1] * x + work[i];
    return work[n - 1];
}
