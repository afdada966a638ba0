//@ kept {"x": 2}
//@ later {"n": 3, "x": [1, 2, 3]}
//@ pooled {"n": 3, "x": [1, 2, 3]}
//@ ready {"n": 2, "x": [1, 2]}
//@ emitted {"x": 2, "tape": 3, "status": 0.5}
//@ shown {"x": [1, 2]}
/* Names that cfgrev gives to variables of its own: temporaries, results, copies, indices, pools, macros. */
#include <stdlib.h>

struct op {
    double (*fn)(double);
    double ctx;
};

static double square(double a) { return a * a; }

/* A structure that is split into its members. */
double kept(double x)
{
    int i = 0;
    double s = i++ > 0 && x > 0 ? 1 : 0;
    struct op t1 = {square, x};
    return s + t1.fn(t1.ctx);
}

static double t1, t3;

/* Globals that are named behind the first temporary. */
double later(int n, double *x)
{
    double s = 0;
    int i = 0, t2 = 1;
    while (i++ < n - t2)
        s += x[i];
    t1 = s * x[0];
    t3 = i++ > 0 ? t1 : 0;
    return t3;
}

struct node {
    double v;
    struct node *next;
};
struct p {
    double real;
    int first;
};

double pooled(int n, double *x)
{
    struct p pool1 = {x[0], 2}, pool2 = {x[1], 2}, pool3 = {1, 1};
    struct node *l = NULL;
    for (int i = 0; i < n; i++) {
        struct node *m = malloc(sizeof *m);
        m->v = x[i];
        m->next = l;
        l = m;
    }
    double s = pool1.real + pool2.real * pool3.real + pool1.first;
    for (struct node *q = l; q; q = q->next)
        s = s * 0.5 + q->v;
    return s;
}

static double shared = 2;
static double *where = &shared;

double ready(int n, double *x)
{
    struct {
        double ready, body;
    } pools = {x[0], x[1]};
    for (int i = 0; i < n; i++) {
        *where += x[i] * pools.ready;
        where = &shared;
    }
    return shared * pools.body;
}

double emitted(double x, double tape, double status)
{
    double CFGREV_DEEPEST = x, CFGREV_INLINE = 1, CFGREV_UNSET_INTEGER = 2;
    CFGREV_DEEPEST *= x * tape;
    if (x > 0)
        CFGREV_DEEPEST += status * CFGREV_INLINE * CFGREV_UNSET_INTEGER;
    return CFGREV_DEEPEST;
}

double shown(double *x)
{
    double result = 0, x_offset = 2, i_index = 3, used = 1, memory = 0.5, INT64_MAX_ = 1;
    double *walk = x;
    for (int i = 0; i < 2; i++) {
        result += *walk++ * x_offset * i_index * memory;
        if (result > 100)
            i += 2;
    }
    return result * used * INT64_MAX_;
}
