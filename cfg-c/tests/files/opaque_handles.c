//@ handled {"x":0.7,"y":1.3}
//@ handed_on {"n":3,"x":[1.5,2,0.5]}
//@ two_kinds {"x":0.7,"y":1.3}
/* Handles that callers see as void *, and each function takes for what it is. */
#include <stdlib.h>

struct state { double a, b; };
static void *make(void) { return calloc(1, sizeof(struct state)); }
static void set(void *h, double a, double b) { struct state *p = h; p->a += a; p->b = b; }
static double get(const void *h) { const struct state *p = h; return p->a * p->b; }
double handled(double x, double y)
{
    void *h = make();
    set(h, x, y);
    set(h, x * y, 3);
    double s = get(h);
    free(h);
    return s;
}

static void add(void *sum, double x) { *(double *)sum += x; }
static void add_square(void *sum, double x) { add(sum, x * x); }
double handed_on(int n, const double *x)
{
    double total = 0;
    void *sum = &total;
    for (int i = 0; i < n; i++)
        add_square(sum, x[i]);
    return total;
}

static double first(void *v) { return ((double *)v)[0]; }
static double both(void *v) { struct state *p = v; return p->a - p->b; }
double two_kinds(double x, double y)
{
    double w[2] = {x, y};
    struct state p = {x * x, y};
    void *a = w, *b = &p;
    return first(a) * both(b);
}
