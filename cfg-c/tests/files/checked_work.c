//@ whole {"n":3,"x":[1.5,2.5,0.5]}
//@ parts {"n":4,"x":[1.5,2.5,0.5,0.25]}
/* One work array, cut into parts that functions are passed. */
#include <stdlib.h>
#include <string.h>
static int prefix(const double *x, int n, double *out)
{
    if (n <= 0 || !out) return 1;
    out[0] = x[0];
    for (int i = 1; i < n; i++) out[i] = out[i - 1] + x[i] * x[i];
    return 0;
}
double whole(int n, const double *x)
{
    double *work = NULL, r = -1;
    work = malloc(sizeof(double) * n);
    if (work == NULL) goto end;
    if (prefix(x, n, work)) goto end;
    r = work[n - 1] * work[0];
end:
    if (work) free(work);
    return r;
}
double parts(int n, const double *x)
{
    const size_t size = n;
    double *work = calloc(4 * size, sizeof *work), *a = work, *b = work + size, *c = b + size, s = 0;
    memcpy(a, x, size * sizeof *a);
    prefix(a, n, b);
    prefix(b, n, c);
    memmove(a + 1, a, (size - 1) * sizeof(double));
    for (double *p = work, *end = work + 4 * size; p != end; ++p) s += *p * *p;
    for (int i = 0; i < n; i++) s += c[i] * a[n - 1 - i];
    free(work);
    return s;
}
