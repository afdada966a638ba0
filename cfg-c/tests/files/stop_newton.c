//@ root {"a":3.0,"depth":4}
//@ root {"a":3.0,"depth":9}
//! root {"a":3.0,"depth":2} 34 exit(4)
//! root {"a":-1.0,"depth":9} 22 _Exit(2)
/* Newton's method that gives up: functions that do not return, and one that calls itself. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdnoreturn.h>

#define CHECK(condition) \
    do { \
        if (!(condition)) \
            fail(#condition, __FILE__, __LINE__); \
    } while (0)

noreturn static void fail(const char *what, const char *file, int line);

static void fail(const char *what, const char *file, int line)
{
    fprintf(stderr, "%s:%d: %s\n", file, line, what);
    _Exit(2);
}

static double step(double a, double x, int depth)
{
    double r = x * x * x - a;
    CHECK(a > 0.0);
    if (fabs(r) < 1e-3)
        return x - r / (3.0 * x * x);
    if (depth > 0)
        return step(a, x - r / (3.0 * x * x), depth - 1);
    fputs("no convergence\n", stderr);
    exit(4);
}

double root(double a, int depth)
{
    return a > 1e6 ? (abort(), 0.0) : step(a, 1.0 + a / 3.0, depth);
}
