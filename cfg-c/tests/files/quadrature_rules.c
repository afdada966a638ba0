//@ bell_area {"p":[1.3,0.8],"b":2.1}
#include <stddef.h>
#include <math.h>
static const double x2[] = { -0.5773502691896257, 0.5773502691896257 }, w2[] = { 1.0, 1.0 };
static const double x3[] = { -0.7745966692414834, 0.0, 0.7745966692414834 }, w3[] = { 0.5555555555555556, 0.8888888888888888, 0.5555555555555556 };
typedef struct { size_t n; const double *x, *w; } rule;
static const rule rules[] = { { 2, x2, w2 }, { 3, x3, w3 } };
#define NRULES (sizeof rules / sizeof rules[0])
typedef double (*integrand)(double x, const double *p);
static double gauss(integrand f, double a, double b, const rule *r, const double *p)
{
    double m = 0.5 * (a + b), h = 0.5 * (b - a), s = 0;
    for (size_t i = 0; i < r->n; ++i) s += r->w[i] * f(m + h * r->x[i], p);
    return h * s;
}
static double bell(double x, const double *p) { return p[0] * exp(-p[1] * x * x); }
static double adaptive(integrand f, double a, double b, double tol, const double *p, int depth)
{
    const rule *lo = &rules[0], *hi = rules + NRULES - 1;
    double q1 = gauss(f, a, b, lo, p), q2 = gauss(f, a, b, hi, p);
    if (fabs(q1 - q2) < tol || depth == 0) return q2;
    double c = 0.5 * (a + b);
    return adaptive(f, a, c, 0.5 * tol, p, depth - 1) + adaptive(f, c, b, 0.5 * tol, p, depth - 1);
}
double bell_area(const double p[2], double b) { return adaptive(bell, 0.0, b, 1e-4, p, 6); }
