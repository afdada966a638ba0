//@ roots {"a": 1.0, "b": -3.5, "c": 2.25}
//@ continued {"x": 0.75, "n": 6}
//@ handled {"x": 1.25}
//@ watched {"x": 1.25}
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

/* A handler that nothing sets, and one that is the file's. */
typedef void handler(const char *reason, const char *file, int line, int code);
static handler *on_error = NULL;
static void (*on_text)(const char *, const char *);

static void put(const char *label, const char *reason)
{
    if (on_text) {
        on_text(label, reason);
        return;
    }
    fprintf(stderr, "%s: %s\n", label, reason);
}

static void error(const char *reason, const char *file, int line, int code)
{
    if (on_error) {
        (*on_error)(reason, file, line, code);
        return;
    }
    put("ERROR", reason);
    fprintf(stderr, "%s:%d\n", file, line);
    abort();
}

static int root(double x, double *y)
{
    if (x < 0) {
        *y = 0;
        error("domain", __FILE__, __LINE__, 1);
        return 1;
    }
    *y = sqrt(x);
    return 0;
}

double handled(double x)
{
    double y;
    if (root(x, &y))
        return x;
    return y * x;
}

/* What only prints has work of its own. */
static void digits(double x, int *into, int n)
{
    for (int i = 0; i < n; i++) {
        into[i] = (int)x % 10;
        x *= 10;
    }
}

static void watch(const char *what, double x)
{
    static int calls;
    int some[4];
    char text[80], *end = text;
    if (calls++ > 3)
        return;
    digits(x, some, 4);
    for (int i = 0; i < 4; i++)
        end += sprintf(end, "%d", some[i]);
    fprintf(stderr, "%s %s\n", what, text);
}

double watched(double x)
{
    watch("before", x);
    for (int i = 0; i < 5; i++) {
        x = sin(x) + 0.5;
        watch("in between", x++);
    }
    return x;
}
