#include <stdlib.h>
static void release(double **p) { free(*p); }
double f(int n, double x)
{
    __attribute__((cleanup(release))) double *w = malloc(n * sizeof *w);
    w[0] = x;
    return w[0] + rand();
}
