//@ twofold {"k":1.5,"lo":0.5}
//@ again {"k":1.5,"lo":0.5}
//@ reused {"k":1.5,"lo":0.5}
//@ copied {"k":1.5,"lo":0.5}
//@ asked {"x":1.5,"y":0.5}
//@ chosen {"n":2,"k":1.5,"lo":0.5}
//@ chosen {"n":5,"k":1.5,"lo":0.5}
/* Structures of a function and the data that it is handed, of several types, in functions that call themselves. */
#include <math.h>
#include <stdlib.h>
typedef struct { double (*function)(double x, void *params); void *params; } integrand;
#define EVAL(F, x) (*((F)->function))(x, (F)->params)

static double refined(const integrand *F, double a, double b, double fa, double fm, double fb, double whole, int depth)
{
    double m = (a + b) / 2, fl = EVAL(F, (a + m) / 2), fr = EVAL(F, (m + b) / 2);
    double left = (m - a) / 6 * (fa + 4 * fl + fm), right = (b - m) / 6 * (fm + 4 * fr + fb);
    if (depth <= 0 || fabs(left + right - whole) < 1e-4)
        return left + right + (left + right - whole) / 15;
    return refined(F, a, m, fa, fl, fm, left, depth - 1) + refined(F, m, b, fm, fr, fb, right, depth - 1);
}
static double integral(const integrand *F, double a, double b)
{
    double fa = EVAL(F, a), fm = EVAL(F, (a + b) / 2), fb = F->function(b, F->params);
    return refined(F, a, b, fa, fm, fb, (b - a) / 6 * (fa + 4 * fm + fb), 6);
}

struct outer { double k, lo; };
static double inner(double y, void *p)
{
    double *q = p;
    return q[0] * y * y + exp(-q[1] * y);
}
static double middle(double x, void *p)
{
    struct outer *o = (struct outer *)p;
    double par[2];
    integrand G;
    par[0] = o->k * x;
    par[1] = o->lo + x;
    G.function = &inner;
    G.params = par;
    return x * integral(&G, 0, x);
}
static double plain(double x, void *p)
{
    (void)p;
    return x * x;
}
double twofold(double k, double lo)
{
    struct outer o = {k, lo};
    integrand F;
    F.function = middle;
    F.params = &o;
    return integral(&F, 0, 1);
}

struct pair { const integrand *f; int *n; };
static double counted(double x, void *p)
{
    struct pair *q = p;
    ++*q->n;
    return 2 * integral(q->f, 0, x);
}
double again(double k, double lo)
{
    double par[2] = {k, lo};
    int n = 0;
    integrand G = {inner, par};
    struct pair q = {&G, &n};
    integrand F = {.params = &q, .function = counted};
    double y = integral(&F, 0, 1);
    return y * (n > 3 ? 2 : 1);
}
double reused(double k, double lo)
{
    struct outer o = {k, lo};
    double par[2] = {lo, k};
    integrand F = {middle, &o};
    double y = integral(&F, 0, 1);
    F.function = inner;
    F.params = par;
    return y * integral(&F, 0, 1);
}
double copied(double k, double lo)
{
    struct outer o = {k, lo};
    double par[2] = {lo, k};
    integrand all[3] = {{inner, par}, {middle, &o}}, *F = malloc(sizeof *F);
    all[2].function = all[0].function;
    all[2].params = all[0].params;
    *F = all[1];
    double y = integral(F, 0, 1);
    free(F);
    for (int i = 0; i < 3; i++)
        y += (i + 1) * integral(&all[i], 0, 1);
    return y;
}

static double tested(double x, void *p) { return p ? x * *(double *)p : x; }
static double whole(double x, void *p) { return x * *(int *)p; }
double asked(double x, double y)
{
    int k = 2;
    integrand c = {tested, 0}, d = {whole, &k};
    double s = d.function(x, d.params);
    for (int i = 0; i < 2; i++) {
        s += c.function(x, c.params);
        c.params = &y;
    }
    return s;
}

struct list { integrand f; struct list *next; };
double chosen(int n, double k, double lo)
{
    struct outer o = {k, lo};
    double par[2] = {lo, k}, s = 0;
    struct list *front = NULL;
    for (int i = 0; i < n; i++) {
        struct list *l = malloc(sizeof *l);
        l->f.function = i % 3 == 0 ? inner : i % 3 == 1 ? middle : plain;
        l->f.params = NULL;
        if (i % 3 == 0)
            l->f.params = par;
        else if (i % 3 == 1)
            l->f.params = &o;
        l->next = front;
        front = l;
    }
    while (front) {
        struct list *next = front->next;
        s = s / 2 + integral(&front->f, 0, 1);
        free(front);
        front = next;
    }
    return s;
}
