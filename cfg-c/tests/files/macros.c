//@ expanded {"n":3,"x":[1.5,2.5,0.5]}
//@ guarded {"x":[1.5,2.5]}
//@ of_the_rest {"x":[1.5,2.5,0.5]}
//@ chosen {"x":[1.5,2.5]}
#include "macros.h"
#include "macros.h"
#include <math.h>
#include <stdio.h>
#define AT(a, i, j) a[(i) * 2 + (j)]
#define FOR(i, n) for (int i = 0; i < (n); i++)
#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define SUM(...) sum(NUMBER(__VA_ARGS__), (const double[]){__VA_ARGS__})
#define NUMBER(...) (int) (sizeof((double[]){__VA_ARGS__}) / sizeof(double))
#define SWAP(T, a, b) do { T t_ = (a); (a) = (b); (b) = t_; } while (0)
static double sum(int n, const double *v) { double s = 0; FOR(i, n) s += v[i]; return s; }
double expanded(int n, const double *x)
{
    double CAT(v, 1) = SQUARE(x[0] + 1), a[4] = {1, 2, 3, 4};
    FOR(i, 2) FOR(j, 2) AT(a, i, j) *= x[i] + j;
    SWAP(double, v1, a[2]);
    return v1 + MAX(AT(a, 1, 0), x[1]) * a[3] + SUM(x[0], x[1] * 2, x[n - 1]);
}
double guarded(const double *x)
{
#if defined(SCALE) && SCALE > 1 && !defined NOTHING
    return x[0] * SCALE;
#elif 1
    return x[1];
#else
#error not here
#endif
}
/* The rest of the arguments, with a name and without, behind a comma that goes where there is none. */
#define ADD(s, ...) add_to(&(s), ##__VA_ARGS__, 0.0)
#define FIRST(s, rest...) first_of(s, ## rest)
#define SHOW(format, ...) printf(format, ##__VA_ARGS__)
#define first_of(s, ...) (s)
#define PI_TIMES(x) (x) * 3
#define TEXT(...) #__VA_ARGS__
#define NAMED(a, rest...) #rest
static void add_to(double *s, double a, ...) { *s += a; }
double of_the_rest(const double *x)
{
    double s = 1;
    ADD(s);
    ADD(s, x[0]);
    ADD(s, x[1], x[2]);
    ADD(s, PI_TIMES(x[2]));
    if (s < 0) {
        SHOW("small");
        SHOW("%g %g", s, x[0]);
    }
    s *= sizeof TEXT(a, b) + 10 * sizeof TEXT(,) + 100 * sizeof TEXT() + 1000 * sizeof TEXT(a ,b,  (c, d) );
    s += sizeof NAMED(a) * sizeof NAMED(a, b,c);
    return FIRST(s * x[0]) + FIRST(x[1], 2, 3);
}
/* Directives among the arguments of a macro; a macro that is defined again. */
#undef PI_TIMES
#define PI_TIMES(x) (x) * 4
#pragma push_macro("PI_TIMES")
#undef PI_TIMES
#define PI_TIMES(x) (x) * 5
static double five(double x) { return PI_TIMES(x); }
#pragma pop_macro("PI_TIMES")
double chosen(const double *x)
{
    return MAX(x[0]
#if SCALE > 100
               * 100
#else
               * 3
#define MORE + 2 * x[1]
#endif
                   MORE,
               x[1])
        + PI_TIMES(five(x[0]));
}
