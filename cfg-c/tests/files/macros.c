//@ expanded {"n":3,"x":[1.5,2.5,0.5]}
//@ guarded {"x":[1.5,2.5]}
#include "macros.h"
#include "macros.h"
#include <math.h>
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
