//@ summary {"n":3,"x":[0.3,0.7,1.2],"a":1.3,"b":0.2,"omega":2}
/* Callbacks over lists. */
#include <math.h>
#include <stdlib.h>
typedef struct cell { double x, w; struct cell *next; } cell;
typedef double (*map_fn)(double, void *);
typedef void (*visit_fn)(cell *, void *);
struct affine { double a, b; };
struct total { double sum; int n; };

static cell *cons(double x, double w, cell *rest)
{
    cell *c = malloc(sizeof *c);
    c->x = x; c->w = w; c->next = rest;
    return c;
}
static cell *map(const cell *l, map_fn f, void *data)
{
    cell *first = NULL, **end = &first;
    for (; l; l = l->next) {
        *end = cons(f(l->x, data), l->w, NULL);
        end = &(*end)->next;
    }
    return first;
}
static void each(cell *l, visit_fn visit, void *data)
{
    while (l) { visit(l, data); l = l->next; }
}
static double fold(const cell *l, double (*op)(double, const cell *), double start)
{
    return l ? fold(l->next, op, op(start, l)) : start;
}
static double line(double x, void *data) { struct affine *p = data; return p->a * x + p->b; }
static double wave(double x, void *data) { double *omega = data; return sin(*omega * x); }
static void add(cell *c, void *data) { struct total *t = (struct total *)data; t->sum += c->w * c->x; t->n++; }
static void halve(cell *c, void *unused) { (void)unused; c->w *= 0.5; }
static double horner(double s, const cell *c) { return s * 0.9 + c->x; }
static void drop(cell *l) { while (l) { cell *n = l->next; free(l); l = n; } }

double summary(int n, const double *x, double a, double b, double omega)
{
    cell *l = NULL;
    for (int i = n; i-- > 0;) l = cons(x[i], 1.0 / (i + 1), l);
    struct affine p = { a, b };
    struct total t = { 0 };
    cell *m = map(l, line, &p), *v = map(m, wave, &omega);
    each(v, halve, NULL);
    each(v, add, &t);
    each(m, add, &t);
    double s = t.sum / t.n + fold(v, horner, 1.0);
    drop(l); drop(m); drop(v);
    return s;
}
