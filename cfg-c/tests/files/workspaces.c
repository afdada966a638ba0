//@ soa {"n": 3, "pos": [0, 0, 1, 0.2, 0.4, 1], "mass": [1, 2, 3]}
//@ integrate {"n": 2, "y0": [1, 0.5], "steps": 3, "h": 0.1}
//@ arena {"n": 4, "x": [1, 2, 0.5, -1]}
/* Structures of arrays, solvers with workspaces on the heap, arenas. */
#include <stdlib.h>
#include <string.h>
#include <math.h>
typedef struct { int n; double *x, *y, *m, *work; } bodies;
static int bodies_init(bodies *b, int n)
{
    b->n = n;
    b->work = calloc(3 * n, sizeof(double));
    if (!b->work) return -1;
    b->x = b->work;
    b->y = b->work + n;
    b->m = &b->work[2 * n];
    return 0;
}
static void bodies_free(bodies *b) { free(b->work); b->work = b->x = b->y = b->m = NULL; }
static double energy(const bodies *b)
{
    double e = 0;
    for (int i = 0; i < b->n; i++)
        for (int j = 0; j < i; j++) {
            double dx = b->x[i] - b->x[j], dy = b->y[i] - b->y[j];
            e -= b->m[i] * b->m[j] / sqrt(dx * dx + dy * dy + 1e-3);
        }
    return e;
}
double soa(int n, const double *pos, const double *mass)
{
    bodies b;
    double e;
    if (bodies_init(&b, n) != 0) return NAN;
    for (int i = 0; i < n; i++) {
        b.x[i] = pos[2 * i];
        b.y[i] = pos[2 * i + 1];
        b.m[i] = mass[i];
    }
    e = energy(&b);
    bodies_free(&b);
    return e;
}
typedef void (*rhs_fn)(double t, const double *y, double *dy, void *user);
typedef struct { int n; rhs_fn f; void *user; double *k1, *k2, *k3, *k4, *tmp; } rk4;
static rk4 *rk4_new(int n, rhs_fn f, void *user)
{
    rk4 *s = malloc(sizeof(rk4));
    if (!s) return NULL;
    s->n = n; s->f = f; s->user = user;
    s->k1 = malloc(n * sizeof(double));
    s->k2 = malloc(n * sizeof(double));
    s->k3 = malloc(n * sizeof(double));
    s->k4 = malloc(n * sizeof(double));
    s->tmp = malloc(n * sizeof(double));
    return s;
}
static void rk4_free(rk4 *s) { if (!s) return; free(s->k1); free(s->k2); free(s->k3); free(s->k4); free(s->tmp); free(s); }
static void rk4_step(rk4 *s, double t, double h, double *y)
{
    int i;
    s->f(t, y, s->k1, s->user);
    for (i = 0; i < s->n; i++) s->tmp[i] = y[i] + 0.5 * h * s->k1[i];
    s->f(t + 0.5 * h, s->tmp, s->k2, s->user);
    for (i = 0; i < s->n; i++) s->tmp[i] = y[i] + 0.5 * h * s->k2[i];
    s->f(t + 0.5 * h, s->tmp, s->k3, s->user);
    for (i = 0; i < s->n; i++) s->tmp[i] = y[i] + h * s->k3[i];
    s->f(t + h, s->tmp, s->k4, s->user);
    for (i = 0; i < s->n; i++) y[i] += h / 6 * (s->k1[i] + 2 * s->k2[i] + 2 * s->k3[i] + s->k4[i]);
}
struct osc { double omega, damp; };
static void osc_rhs(double t, const double *y, double *dy, void *user)
{
    const struct osc *o = user;
    dy[0] = y[1];
    dy[1] = -o->omega * o->omega * y[0] - o->damp * y[1] + cos(t);
}
double integrate(int n, const double *y0, int steps, double h)
{
    struct osc o = {2.0, 0.1};
    rk4 *s = rk4_new(n, osc_rhs, &o);
    double *y = malloc(n * sizeof *y), t = 0, r = 0;
    memcpy(y, y0, n * sizeof *y);
    while (steps-- > 0) { rk4_step(s, t, h, y); t += h; }
    for (int i = 0; i < n; i++) r += y[i] * y[i];
    rk4_free(s);
    free(y);
    return r;
}
struct arena { double *base; size_t used, cap; };
static double *take(struct arena *a, size_t n)
{
    double *p = a->base + a->used;
    if (a->used + n > a->cap) abort();
    a->used += n;
    return p;
}
double arena(int n, const double *x)
{
    double pool[64];
    struct arena a = {pool, 0, sizeof pool / sizeof *pool};
    double *u = take(&a, n), *v = take(&a, n);
    for (int i = 0; i < n; i++) { u[i] = x[i] * x[i]; v[i] = u[i] + (i ? v[i - 1] : 0); }
    size_t mark = a.used;
    double *w = take(&a, n);
    for (int i = 0; i < n; i++) w[i] = sin(u[i]) * v[n - 1 - i];
    double s = 0;
    for (int i = 0; i < n; i++) s += w[i];
    a.used = mark;
    w = take(&a, 2);
    w[0] = s; w[1] = s * u[0];
    return w[0] + w[1] + u[n - 1];
}
