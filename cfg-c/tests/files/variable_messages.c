//@ roots {"a": 1.0, "b": -3.5, "c": 2.25}
//@ continued {"x": 0.75, "n": 6}
/* Functions with a variable number of arguments that only print them. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static int verbose = 1;

static void die(const char *file, int line, const char *fmt, ...)
{
    va_list ap;
    fprintf(stderr, "%s:%d: ", file, line);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    exit(EXIT_FAILURE);
}
#define DIE(...) die(__FILE__, __LINE__, __VA_ARGS__)

static void trace(int level, const char *fmt, ...)
{
    va_list ap;
    if (level > verbose)
        return;
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
}

double roots(double a, double b, double c)
{
    double d = b * b - 4 * a * c;
    if (d < 0)
        DIE("no real roots, discriminant %g of %s\n", d, __func__);
    trace(2, "discriminant %g\n", d);
    double q = -0.5 * (b + copysign(sqrt(d), b));
    return q / a - c / q;
}

double continued(double x, int n)
{
    double f = 1;
    for (int k = n; k > 0; k--) {
        if (f == 0)
            DIE("a denominator is 0\n");
        f = 1 + k * x / f;
        trace(1, "# %d: %g\n", k, f);
    }
    return f;
}
