//@ nbody {"n": 2, "b": [{"pos": [0,0,0], "vel": [0,1,0], "mass": 1}, {"pos": [1,0.5,0.2], "vel": [0,-1,0], "mass": 2}], "dt": 0.01, "steps": 2}
//@ mesh {"nv": 4, "v": [{"x": 0, "y": 0}, {"x": 1, "y": 0.1}, {"x": 1, "y": 1}, {"x": 0, "y": 1}], "nt": 2, "t": [{"v": [0,1,2], "rho": 1.5}, {"v": [0,2,3], "rho": 2.0}]}
//@ spring {"s": [{"k": 2.0, "rest": 1.0, "ends": [{"x": 0, "y": 0}, {"x": 2, "y": 1}]}]}
//@ interp {"t": {"n": 3, "x": [0, 1, 2, 0], "y": [1, 2, 5, 0]}, "at": 1.3}
//@ stats {"x": [1, 2, 4, 8], "n": 4}
//@ fib {"n": 6, "x": 1.1}
//@ ack {"n": 5, "x": 0.3}
//@ workspace {"x": [1, 2, 3], "n": 3}
//@ sizes {"x": [1, 2, 3, 4, 5, 6]}
//@ horner2 {"x": 0.4}
//@ newton_sys {"x": [0.5, 0.5]}
//@ trapz {"n": 5, "x": [0, 0.5, 1, 2, 3], "y": [1, 2, 1.5, 0.5, 0.2]}
//@ markov {"p": [[0.9, 0.1], [0.3, 0.7]], "steps": 4}
/* Structures by value and by pointer, nested, in arrays, walked over; state in global variables; mutual recursion. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <assert.h>
enum { DIM = 3, NPTS = 4 };
typedef struct body { double pos[DIM], vel[DIM]; double mass; } body;
static double dist2(const double a[DIM], const double b[DIM], double *restrict d)
{
    double r = 0;
    for (int k = 0; k < DIM; k++) { d[k] = b[k] - a[k]; r += d[k] * d[k]; }
    return r;
}
double nbody(int n, body *b, double dt, int steps)
{
    double e = 0;
    for (int s = 0; s < steps; s++) {
        for (body *p = b; p < b + n; p++)
            for (body *q = p + 1; q < b + n; q++) {
                double d[DIM], r2 = dist2(p->pos, q->pos, d), mag = dt / (r2 * sqrt(r2));
                for (int k = 0; k < DIM; k++) {
                    p->vel[k] += d[k] * q->mass * mag;
                    q->vel[k] -= d[k] * p->mass * mag;
                }
            }
        for (body *p = b, *e = b + n; p != e; ++p)
            for (int k = 0; k < DIM; k++) p->pos[k] += dt * p->vel[k];
    }
    for (int i = 0; i < n; i++) {
        const body *p = &b[i];
        e += 0.5 * p->mass * (p->vel[0] * p->vel[0] + p->vel[1] * p->vel[1] + p->vel[2] * p->vel[2]);
    }
    return e;
}
struct vec2 { double x, y; };
struct tri { int v[3]; double rho; };
static inline struct vec2 sub(struct vec2 a, struct vec2 b) { struct vec2 r; r.x = a.x - b.x; r.y = a.y - b.y; return r; }
static inline double cross2(const struct vec2 *a, const struct vec2 *b) { return a->x * b->y - a->y * b->x; }
double mesh(int nv, const struct vec2 *v, int nt, const struct tri *t)
{
    double m = 0;
    assert(nv > 2);
    while (nt--) {
        struct vec2 e1 = sub(v[t->v[1]], v[t->v[0]]), e2 = sub(v[t->v[2]], v[t->v[0]]);
        m += t->rho * fabs(cross2(&e1, &e2)) / 2;
        t++;
    }
    return m;
}
struct spring { double k, rest; struct vec2 ends[2]; };
static double length(const struct spring *s)
{
    const struct vec2 *a = s->ends, *b = a + 1;
    return hypot(b->x - a->x, b->y - a->y);
}
double spring(struct spring *s)
{
    double l = length(s), f = s->k * (l - s->rest);
    s->ends[1].x -= 0.1 * f;
    (*s).ends[1].y *= 1.1;
    return 0.5 * s->k * pow(length(s) - s->rest, 2);
}
struct table { int n; double x[NPTS], y[NPTS]; };
static int locate(const struct table *t, double x)
{
    int i;
    for (i = 0; i < t->n - 2 && x > t->x[i + 1]; i++)
        ;
    return i;
}
double interp(struct table t, double at)
{
    int i = locate(&t, at);
    struct table u = t;
    u.y[i] += 1;
    return (u.y[i] * (t.x[i + 1] - at) + t.y[i + 1] * (at - t.x[i])) / (t.x[i + 1] - t.x[i]);
}
typedef struct { double mean, var, mx; int at; } summary;
static summary summarize(const double *x, int n)
{
    summary s = {0};
    s.mx = -HUGE_VAL;
    for (int i = 0; i < n; i++) {
        double d = x[i] - s.mean;
        s.mean += d / (i + 1);
        s.var += d * (x[i] - s.mean);
        if (x[i] > s.mx) s.mx = x[s.at = i];
    }
    s.var /= n > 1 ? n - 1 : 1;
    return s;
}
double stats(const double *x, int n)
{
    const summary s = summarize(x, n);
    return (summarize(x, n / 2).mean + s.mx - s.mean) / sqrt(s.var) + s.at;
}
double fib(int n, double x) { return n < 2 ? x : fib(n - 1, x * x) + x * fib(n - 2, sin(x)); }
static double even(int n, double x);
static double odd(int n, double x) { return n == 0 ? 0 : even(n - 1, x + 0.1) * x; }
static double even(int n, double x) { return n == 0 ? x : odd(n - 1, x * 1.5) + 1; }
double ack(int n, double x) { return even(n, x) + odd(n, x); }
static double work[8], scale = 1.0;
static int used;
static void push(double v) { work[used++] = v * scale; }
static double pop(void) { return work[--used]; }
double workspace(const double *x, int n)
{
    used = 0;
    scale = x[0];
    for (int i = 0; i < n; i++) push(x[i]);
    double s = 0;
    while (used) s = s * 0.5 + pop();
    push(s); push(s * s);
    return pop() - pop();
}
double sizes(const double *x)
{
    const int N = 2, M = N + 1;
    double a[N][M], s = 0;
    for (int k = 0; k < N * M; k++) a[k / M][k % M] = x[k];
    for (int i = 0; i < (int)(sizeof a / sizeof a[0]); i++)
        for (unsigned j = 0; j < sizeof *a / sizeof **a; j++) s += a[i][j] * (i - (int)j);
    return s * sizeof(double) / 8;
}
double horner2(double x)
{
    static const double P[] = {1.0, -0.5, 0.25, -0.125}, Q[] = {1.0, 0.3};
    double p = 0, q = 0;
    for (const double *c = P + sizeof P / sizeof *P; c-- > P; ) p = p * x + *c;
    for (int i = (int)(sizeof(Q) / sizeof(Q[0])) - 1; i >= 0; i--) q = q * x + Q[i];
    return p / q;
}
static void residual(const double *x, double *f, double (*J)[2])
{
    f[0] = exp(x[0]) + x[1] - 2;
    f[1] = x[0] * x[1] - 0.2;
    if (J) { J[0][0] = exp(x[0]); J[0][1] = 1; J[1][0] = x[1]; J[1][1] = x[0]; }
}
double newton_sys(double *x)
{
    double f[2], J[2][2], norm;
    int it = 0;
    for (;;) {
        residual(x, f, J);
        norm = sqrt(f[0] * f[0] + f[1] * f[1]);
        if (norm < 1e-10) break;
        if (++it > 20) return -1;
        double det = J[0][0] * J[1][1] - J[0][1] * J[1][0], lam = 1, old = norm, y[2];
        do {
            y[0] = x[0] - lam * (J[1][1] * f[0] - J[0][1] * f[1]) / det;
            y[1] = x[1] - lam * (J[0][0] * f[1] - J[1][0] * f[0]) / det;
            double g[2];
            residual(y, g, NULL);
            norm = hypot(g[0], g[1]);
            lam *= 0.5;
        } while (norm >= old && lam > 1e-4);
        memcpy(x, y, sizeof y);
    }
    return x[0] * x[0] + x[1];
}
double trapz(size_t n, const double x[static n], const double y[static n])
{
    double s = 0;
    for (size_t i = 1; i < n; i++)
        s += (x[i] - x[i - 1]) * (y[i] + y[i - 1]) / 2;
    return s;
}
double markov(double p[2][2], int steps)
{
    double q[2] = {1, 0}, r[2];
    while (steps --> 0) {
        for (int j = 0; j < 2; j++) { r[j] = 0; for (int i = 0; i < 2; i++) r[j] += q[i] * p[i][j]; }
        q[0] = r[0], q[1] = r[1];
    }
    return q[0] * log(q[0]) + q[1] * log(q[1]);
}
