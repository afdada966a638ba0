//@ best {"a":1,"b":2,"x":0.2,"y":0.3}
#include <math.h>
#include <string.h>
#define DIM 2
typedef struct { double x[DIM]; double f; } vertex;
typedef struct { double a, b; } params;
static double objective(const double *x, const void *ctx)
{
    const params *p = ctx;
    double u = p->a - x[0], v = x[1] - x[0] * x[0];
    return u * u + p->b * v * v;
}
static void sort(vertex *s, int n)
{
    for (int i = 1; i < n; i++) {
        vertex key = s[i];
        int j = i - 1;
        for (; j >= 0 && s[j].f > key.f; j--) s[j + 1] = s[j];
        s[j + 1] = key;
    }
}
static vertex point_at(const double *c, const vertex *worst, double coef, double (*fn)(const double *, const void *), const void *ctx)
{
    vertex v;
    for (int d = 0; d < DIM; d++) v.x[d] = c[d] + coef * (c[d] - worst->x[d]);
    v.f = fn(v.x, ctx);
    return v;
}
static vertex minimise(double (*fn)(const double *, const void *), const double *x0, double step, int iters, const void *ctx)
{
    vertex s[DIM + 1];
    for (int i = 0; i <= DIM; i++) {
        memcpy(s[i].x, x0, sizeof s[i].x);
        if (i) s[i].x[i - 1] += step;
        s[i].f = fn(s[i].x, ctx);
    }
    while (iters-- > 0) {
        sort(s, DIM + 1);
        double c[DIM] = { 0.0 };
        for (int i = 0; i < DIM; i++) for (int d = 0; d < DIM; d++) c[d] += s[i].x[d] / DIM;
        vertex *worst = &s[DIM], r = point_at(c, worst, 1.0, fn, ctx);
        if (r.f < s[0].f) {
            vertex e = point_at(c, worst, 2.0, fn, ctx);
            *worst = e.f < r.f ? e : r;
        } else if (r.f < s[DIM - 1].f)
            *worst = r;
        else {
            vertex k = point_at(c, worst, r.f < worst->f ? 0.5 : -0.5, fn, ctx);
            if (k.f < fmin(r.f, worst->f)) *worst = k;
            else for (int i = 1; i <= DIM; i++) {
                for (int d = 0; d < DIM; d++) s[i].x[d] = 0.5 * (s[i].x[d] + s[0].x[d]);
                s[i].f = fn(s[i].x, ctx);
            }
        }
    }
    sort(s, DIM + 1);
    return s[0];
}
double best(double a, double b, double x, double y)
{
    params p = { a, b };
    double x0[DIM] = { x, y };
    vertex v = minimise(objective, x0, 0.3, 12, &p);
    return v.f + v.x[0];
}
