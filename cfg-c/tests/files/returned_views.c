//@ sums {"n": 3, "x": [1, 2, 3], "s": 2.5}
//@ sums {"n": 3, "x": [1, 2, 3], "s": 1.25}
/* Structures with pointers that are returned in several places, some without memory. */
#include <stdlib.h>
typedef struct { int n; double *d; } V;
static V mk(int n) { V v; v.n = n; v.d = malloc(n * sizeof(double)); return v; }
static V empty(void) { V v = {0, NULL}; return v; }
static V add(V a, V b)
{
    if (a.n != b.n) return empty();
    V r = mk(a.n);
    for (int i = 0; i < a.n; i++) r.d[i] = a.d[i] + b.d[i];
    return r;
}
static V scaled(V a, double s)
{
    V r;
    if ((int)s == 1) { r = mk(a.n); for (int i = 0; i < a.n; i++) r.d[i] = a.d[i]; return r; }
    r = mk(a.n);
    for (int i = 0; i < a.n; i++) r.d[i] = s * a.d[i];
    return r;
}
static double dot(V a, V b) { double s = 0; for (int i = 0; i < a.n; i++) s += a.d[i] * b.d[i]; return s; }
double sums(int n, const double *x, double s)
{
    V a = mk(n);
    for (int i = 0; i < n; i++) a.d[i] = x[i];
    V b = scaled(a, s), c = add(a, b);
    V e = add(scaled(b, 2), scaled(c, s));
    double r = dot(c, e);
    free(a.d); free(b.d); free(c.d); free(e.d);
    return r;
}
