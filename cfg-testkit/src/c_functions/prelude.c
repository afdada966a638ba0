#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* A value and its derivatives. */
typedef struct {
    double v, d[DIRECTIONS];
} D;

/* Set where a function has no derivative, where C says nothing about the sign of a zero, where a value overflows, since a zero adjoint may
   then become NaN, and where derivatives on the way are so large that rounding is all that is left of them. */
static int kink;

static D K(double v)
{
    D r;
    memset(&r, 0, sizeof r);
    r.v = v;
    return r;
}

static D along(double v, int direction)
{
    D r = K(v);
    r.d[direction] = 1.0;
    return r;
}

/* The value v, with partials p and q. */
static D two(double v, D a, double p, D b, double q)
{
    for (int i = 0; i < DIRECTIONS; i++) {
        a.d[i] = p * a.d[i] + q * b.d[i];
        kink |= !(fabs(a.d[i]) < 1e6);
    }
    kink |= !isfinite(v);
    a.v = v;
    return a;
}

static D one(double v, D a, double p)
{
    for (int i = 0; i < DIRECTIONS; i++) {
        a.d[i] *= p;
        kink |= !(fabs(a.d[i]) < 1e6);
    }
    kink |= !isfinite(v);
    a.v = v;
    return a;
}

static D d_add(D a, D b) { return two(a.v + b.v, a, 1.0, b, 1.0); }
static D d_sub(D a, D b) { return two(a.v - b.v, a, 1.0, b, -1.0); }
static D d_mul(D a, D b) { return two(a.v * b.v, a, b.v, b, a.v); }
static D d_div(D a, D b) { return two(a.v / b.v, a, 1.0 / b.v, b, -a.v / b.v / b.v); }
static D d_neg(D a) { return one(-a.v, a, -1.0); }
static D d_sin(D a) { return one(sin(a.v), a, cos(a.v)); }
static D d_cos(D a) { return one(cos(a.v), a, -sin(a.v)); }
static D d_tanh(D a) { return one(tanh(a.v), a, 1.0 - tanh(a.v) * tanh(a.v)); }
static D d_exp(D a) { return one(exp(a.v), a, exp(a.v)); }
static D d_log(D a) { return one(log(a.v), a, 1.0 / a.v); }
static D d_sqrt(D a) { return one(sqrt(a.v), a, 0.5 / sqrt(a.v)); }
static D d_atan(D a) { return one(atan(a.v), a, 1.0 / (1.0 + a.v * a.v)); }
static D d_erf(D a) { return one(erf(a.v), a, 1.1283791670955126 * exp(-a.v * a.v)); }
static D d_pow(D a, double p) { return one(pow(a.v, p), a, p * pow(a.v, p - 1.0)); }

static D d_fabs(D a)
{
    kink |= a.v == 0.0;
    return one(fabs(a.v), a, a.v < 0.0 ? -1.0 : 1.0);
}

static D d_fmin(D a, D b)
{
    kink |= a.v == b.v;
    return two(fmin(a.v, b.v), a, a.v < b.v, b, !(a.v < b.v));
}

static D d_fmax(D a, D b)
{
    kink |= a.v == b.v;
    return two(fmax(a.v, b.v), a, a.v > b.v, b, !(a.v > b.v));
}

static D d_hypot(D a, D b)
{
    const double h = hypot(a.v, b.v);
    kink |= h == 0.0;
    return two(h, a, a.v / h, b, b.v / h);
}

static D d_float(D a)
{
    a.v = (float)a.v;
    return a;
}

static void d_to_add(D *a, D b) { *a = d_add(*a, b); }
static void d_to_sub(D *a, D b) { *a = d_sub(*a, b); }
static void d_to_mul(D *a, D b) { *a = d_mul(*a, b); }
static void d_to_div(D *a, D b) { *a = d_div(*a, b); }

static void report(int n, double value, const double *x, D result, const D *dx)
{
    printf("%.17g", value);
    for (int i = 0; i < n; i++)
        printf(" %.17g", x[i]);
    printf(" %d", kink);
    for (int k = 0; k < DIRECTIONS; k++) {
        double sum = result.d[k];
        for (int i = 0; i < n; i++)
            sum += (i + 1) * dx[i].d[k];
        printf(" %.17g", sum);
    }
    printf("\n");
}
