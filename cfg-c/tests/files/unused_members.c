//@ called_back {"s":[{"stiffness":2.5,"rest":0.5}],"angle":1.25}
//@ in_members {"p":[{"net":{"link":[{"r":1.5,"km":0.5},{"r":2.5,"km":0.25}]},"hyd":{"flow":[0.7,0.9]}}],"k":1}
//@ recursive {"p":[{"m":2.5,"v":0.5},{"m":1.5,"v":0.25}],"n":2}
//@ of_itself {"n":3,"x":[1.5,0.5,2]}
//@ from_table {"k":1,"x":1.5}
//@ large {"n":[{"lam":[[0.19,0.24],[0.2,0.25]]}],"sat":2}
//@ not_filled {"i":[{"held":{"number":1.5},"weight":2.5}]}
//@ bits {"f":[{"x":1.5,"y":0.5}]}
//@ copied {"from":{"a":1.5,"b":2.5},"x":0.5}
//@ sized {"x":1.5}
//@ in_union {"a":[{"r":0.25,"k":2},{"r":1.25,"k":3}],"n":2}
//@ beside {"p":[{"x":1,"y":2,"z":3,"w":[4,5]}],"k":1}
//@ of_caller {"n":2,"x":[0.5,1.5],"out":[{"sum":0},{"sum":1}]}
/* Members that nothing uses may be of any type. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct spring spring;
typedef double (*torque_fn)(spring *, double);
struct klass { void (*pre)(spring *, double); };
struct spring { const struct klass *klass; void *data; spring *next; const char *name; double stiffness, rest; torque_fn fn; };
double called_back(const spring *s, double angle)
{
    if (s->rest < 0)
        printf("%s at %p: %g\n", s->name, s->data, angle);
    return (angle - s->rest) * s->stiffness;
}

typedef struct { char *comment; double r, km; } link_t;
typedef struct { int nlinks; link_t *link; void *index; } network;
typedef struct { double *flow; void (*report)(void *, char *); } hydraulics;
typedef struct project { network net; hydraulics hyd; char title[3][80]; } project;
double in_members(project *p, int k)
{
    network *net = &p->net;
    hydraulics *hyd = &p->hyd;
    link_t *l = &net->link[k];
    double q = hyd->flow[k];
    return l->r * q * q + l->km * q;
}

struct simulation;
struct particle { double m, v; unsigned hash; void *ap; struct simulation *sim; };
struct simulation { int n; struct particle *particles; void (*heartbeat)(struct simulation *); struct simulation *extras; };
double recursive(struct particle *p, int n)
{
    double e = 0.0;
    for (; n > 0; n--, p++) {
        e += 0.5 * p->m * p->v * p->v;
        p->v *= 2.0;
    }
    return e;
}

struct work { const char *name; int n; double *values; void (*done)(struct work *); FILE *log; };
static void finished(struct work *w) { fputs(w->name, w->log); }
double of_itself(int n, const double *x)
{
    struct work w = {"work", n, malloc(n * sizeof(double)), finished, stderr};
    double s = 0.0;
    for (int i = 0; i < w.n; i++)
        w.values[i] = x[i] * x[i];
    for (int i = 0; i < n; i++)
        s = w.values[i] + 0.5 * s;
    free(w.values);
    return s;
}

static double twice(double x) { return 2.0 * x; }
static double half(double x) { return 0.5 * x; }
static const double w0[] = {1, 2}, w1[] = {3, 4};
static struct { const char *name; double (*fn)(double); void (*unused)(int); const double *weights; double norm, more[3]; } table[] =
    {{"twice", twice, NULL, w0, 1.0, {1}}, {"half", half, NULL, w1, 1.5, {2, 3}}};
double from_table(int k, double x) { return table[k].norm * (table[k].weights[0] * table[k].fn(x) + table[k].weights[1]); }

typedef struct { double coef[200][60]; int n; double *eph; char name[32]; } big;
typedef struct { int n, nmax; double *eph; big b; double lam[2][2]; } nav_t;
double large(const nav_t *n, int sat) { return n->lam[sat - 1][0]; }

struct item { union { float number; double other; } held; double weight; };
double not_filled(struct item *i) { return i->held.number * i->weight; }

struct flagged { unsigned on : 1, : 3, off : 2; double x; unsigned more : 7; double y; };
double bits(struct flagged *f) { return f->x * f->y; }

struct pair { double a, b; void *of; double (*fn)(double); };
static struct pair scaled(struct pair p, double x)
{
    p.a *= x;
    return p;
}
double copied(struct pair from, double x)
{
    struct pair p = scaled(from, x), q;
    q = p;
    return q.a * q.a;
}

double sized(double x)
{
    struct work w;
    nav_t *n = 0;
    w.n = sizeof w + sizeof(struct particle) + sizeof *n->eph + sizeof n->b.name + sizeof w.done;
    return x * w.n;
}

struct either { union { void *data; double r; int i; }; int k; union { void (*f)(void); char c[16]; } other; };
double in_union(const struct either *a, int n)
{
    double s = 0.0;
    for (int i = 0; i < n; i++)
        s += a[i].r * a[i].r * a[i].k;
    return s;
}

struct result { struct result *before; double sum; char text[8]; };
void of_caller(int n, const double *x, struct result *out)
{
    for (int i = 0; i < n; i++)
        out[i].sum += x[i] * x[i];
}

struct quad { double x, y, z, w[2]; void *more; };
static double first(const double *v, int n) { return n > 1 ? v[0] * v[n - 1] : v[0]; }
double beside(const struct quad *p, int k)
{
    const double *v = &p->x;
    return v[0] * v[k] + first(&p->z, 1) + first(p->w, 2) + p->w[k];
}
