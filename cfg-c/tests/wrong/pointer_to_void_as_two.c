#include <stdlib.h>
static void *get(size_t bytes)
{
    void *p = malloc(bytes);
    return p;
}
double f(int n, double x)
{
    void *both = get(n * sizeof(double));
    double *a = both;
    int *b = both;
    a[0] = x;
    b[0] = 1;
    return a[0];
}
