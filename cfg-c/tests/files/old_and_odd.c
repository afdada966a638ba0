//@ f {"n":5,"x":[-1.5,0.7,0.3,0.2,0.1],"y":[1,2,3,4,0.5]}
#include <stddef.h>
/* Old and odd: K&R, Duff's device, goto cleanup, comma, VLAs, reverse size_t loops. */
double duff_dot(n, x, y) int n; const double *x, *y;
{
    double s = 0.0; int k = (n + 3) / 4;
    if (n <= 0) return 0.0;
    switch (n % 4) {
    case 0: do { s += *x++ * *y++;
    case 3:      s += *x++ * *y++;
    case 2:      s += *x++ * *y++;
    case 1:      s += *x++ * *y++;
            } while (--k > 0);
    }
    return s;
}
static double polynomial(size_t n, const double c[static 1], double x)
{
    double v[n + 1], y = 0;
    v[0] = 1;
    for (size_t i = 1; i <= n; ++i) v[i] = v[i - 1] * x;
    for (size_t i = n; i-- > 0;) y += c[i] * v[i];
    return y;
}
static int newton(double *root, const double *c, int n)
{
    int it = 0, status = -1;
    double x = *root, fx, d;
    for (fx = polynomial(n, c, x), d = 0; it < 30; it++, fx = polynomial(n, c, x)) {
        if (fx < 1e-12 && fx > -1e-12) { status = 0; goto out; }
        d = (polynomial(n, c, x + 1e-4) - fx) / 1e-4;
        if (d == 0) goto fail;
        x -= fx / d;
    }
fail:
    status = 1;
out:
    *root = x;
    return status;
}
double f(int n, const double *x, const double *y)
{
    double r = 1.0;
    int bad = newton(&r, x, n);
    return bad ? duff_dot(n, x, y) : duff_dot(n, x, y) + r;
}
