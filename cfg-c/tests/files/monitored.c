//@ root {"p": [1.2, 0.4]}
//@ watched {"x": 0.3, "n": 3}
//@ none {"x": 0.3}
//@ steps {"x": [0.3, 0.7], "which": 1}
//@ steps {"x": [0.3, 0.7], "which": 0}
/* Callbacks that are called if there are any: members that nothing assigns, null arguments, functions of other types beside them. */
#include <math.h>
#include <stddef.h>

typedef struct {
    int n;
    double tol;
    void (*monitor)(int, double);
    double (*f)(double, const double *);
    const double *par;
} options;

static double fun(double x, const double *p) { return x * x - p[0] * exp(-p[1] * x); }

static double secant(const options *o, double a, double b)
{
    double fa = o->f(a, o->par), fb = o->f(b, o->par);
    for (int i = 0; i < o->n; i++) {
        double c;
        if (fabs(fb - fa) < o->tol)
            break;
        c = b - fb * (b - a) / (fb - fa);
        a = b;
        fa = fb;
        b = c;
        fb = o->f(b, o->par);
        if (o->monitor)
            o->monitor(i, b);
    }
    return b;
}

double root(const double *p)
{
    options o = {.n = 8, .tol = 1e-12, .f = fun, .par = p};
    return secant(&o, 0.2, 0.9);
}

static double seen;
static void watch(int k, double x) { seen += (k + 1) * x; }

static double halve(double x, int n, void (*tell)(int, double))
{
    for (int k = 0; k < n; k++) {
        x = 0.5 * x + sin(x);
        if (tell != NULL)
            tell(k, x);
    }
    return x;
}

double watched(double x, int n)
{
    seen = 0;
    return halve(x, n, watch) + seen * halve(x, 2, NULL);
}

static double apply(double (*f)(double), double x, double (*before)(double))
{
    return f(before ? before(x) : 2 * x);
}

double none(double x) { return apply(sin, x, NULL) * apply(cos, x, 0) + apply(exp, x, tanh); }

struct method {
    int order;
    double (*step)(const double *, double);
    double (*error)(double, double);
};
static double explicit_step(const double *x, double h) { return x[0] + h * cos(x[1]); }
static double midpoint(const double *x, double h) { return x[0] + h * cos(x[1] + 0.5 * h); }
static double difference(double a, double b) { return fabs(a - b); }
static const struct method methods[] = {{1, explicit_step, NULL}, {.order = 2, .error = difference, .step = midpoint}};

double steps(const double *x, int which)
{
    const struct method *m = &methods[which];
    double y = m->step(x, 0.25);
    if (m->error)
        y += m->error(y, x[0]) * m->order;
    return y;
}
