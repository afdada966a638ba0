//@ closures {"k": 0.5, "w": [1, 2], "top": 1.25}
//@ passed {"w": [1, 2], "top": 1.25}
//@ held {"k": 0.75, "top": 1.1}
/* Integrals of integrals: the function that integrates is called by what it is given. */
#include <math.h>
typedef struct { double (*function)(double x, void *params); void *params; } gsl_function;
static double qng(const gsl_function *f, double a, double b, int n)
{
    double h = (b - a) / n, s = 0.5 * (f->function(a, f->params) + f->function(b, f->params));
    for (int i = 1; i < n; i++)
        s += f->function(a + i * h, f->params);
    return s * h;
}
struct inner { double x, k; const double *w; };
static double g(double y, void *p) { struct inner *q = p; return q->w[0] * exp(-q->k * q->x * y) + q->w[1]; }
struct outer { double k; const double *w; };
static double outer(double x, void *p)
{
    struct outer *o = p;
    struct inner in = {x, o->k, o->w};
    gsl_function F;
    F.function = &g;
    F.params = &in;
    return qng(&F, 0, x, 4);
}
double closures(double k, const double *w, double top)
{
    struct outer o = {k, w};
    gsl_function F = {&outer, &o};
    return qng(&F, 0, top, 4);
}
typedef double (*fn)(double, void *);
static double trap(fn f, void *ctx, double a, double b, int n)
{
    double h = (b - a) / n, s = 0.5 * (f(a, ctx) + f(b, ctx));
    for (int i = 1; i < n; i++) s += f(a + i * h, ctx);
    return s * h;
}
struct inner3 { double x; double (*kernel)(double); const double *w; };
static double kern(double t) { return exp(-t * t); }
static double g3(double y, void *p) { struct inner3 *q = p; return q->w[0] * q->kernel(q->x * y) + q->w[1]; }
static double outer3(double x, void *p)
{
    struct inner3 in = {x, kern, p};
    return trap(g3, &in, 0, x, 4);
}
double passed(const double *w, double top) { return trap(outer3, (void *)w, 0, top, 4); }
struct quad { fn f; void *data; int n; double *nodes; };
static double apply(struct quad *q, double a, double b)
{
    double s = 0, h = (b - a) / q->n;
    for (int i = 0; i < q->n; i++) s += q->f(a + (i + q->nodes[0]) * h, q->data);
    return s * h;
}
struct both { struct quad *q2; double x; double k; };
static double in2(double y, void *p) { struct both *b = p; return sin(b->x * y * b->k); }
static double in1(double x, void *p) { struct both *b = p; b->x = x; return apply(b->q2, 0, x); }
double held(double k, double top)
{
    double node = 0.5;
    struct both b = {0, 0, k};
    struct quad q2 = {in2, &b, 3, &node}, q1 = {in1, &b, 3, &node};
    b.q2 = &q2;
    return apply(&q1, 0, top);
}
