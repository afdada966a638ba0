#include <stdlib.h>
struct row { int n; double *x; };
struct row *f(int n, double x)
{
    struct row *r = malloc(sizeof *r);
    r->n = n;
    r->x = malloc(n * sizeof *r->x);
    r->x[0] = x;
    return r;
}
