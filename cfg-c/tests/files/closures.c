//@ gsl {"alpha": 1.5, "c": [1, 2, 3]}
/* Functions with their data in structures: pointers to void that are given numbers, arrays, structures, or nothing. */
#include <math.h>
#include <stddef.h>
typedef struct { double (*function)(double x, void *params); void *params; } gsl_function;
#define EVAL(F, x) (*((F)->function))(x, (F)->params)
static double simpson(const gsl_function *f, double a, double b)
{
    double m = 0.5 * (a + b);
    return (b - a) / 6 * (EVAL(f, a) + 4 * EVAL(f, m) + EVAL(f, b));
}
static double by_value(gsl_function f, double x) { return f.function(x, f.params); }
static double power(double x, void *p) { double alpha = *(double *)p; return pow(x, alpha); }
static double plain(double x, void *unused) { (void)unused; return x * x; }
struct line { double a, b; };
static double line(double x, void *p) { const struct line *l = (const struct line *)p; return l->a + l->b * x; }
static double poly(double x, void *p) { const double *c = p; return c[0] + x * (c[1] + x * c[2]); }
double gsl(double alpha, const double *c)
{
    gsl_function F, G = {plain, NULL}, H;
    struct line l = {alpha, c[1]};
    F.function = &power;
    F.params = &alpha;
    H.function = line;
    H.params = &l;
    gsl_function K = {.function = poly, .params = (void *)c};
    return simpson(&F, 0.5, 1.5) + simpson(&G, 0, 1) + simpson(&H, 0, alpha) + simpson(&K, 0, 2) + by_value(F, 0.3) * by_value(K, alpha);
}
