//@ nested {"q":{"a":{"v":[1.5,2.5],"n":2},"b":[{"v":[0.5,0.25],"n":1},{"v":[3.0,-1.0],"n":0}],"u":0.5,"w":0.75},"t":1.25}
//@ center {"n":3,"p":[{"x":1.0,"y":2.0},{"x":0.5,"y":-1.5},{"x":2.0,"y":0.25}],"out":[{"x":0.0,"y":0.0}]}
//@ middle {"a":{"x":1.0,"y":2.0},"b":{"x":0.5,"y":-1.5},"t":0.25}
//@ table {"k":1,"x":1.5}
//@ table {"k":2,"x":1.5}
//@ designated {"x":[0.5,1.5,2.5]}
//@ choose {"c":1,"a":{"x":1.0,"y":2.0},"b":{"x":0.5,"y":-1.5}}
//@ choose {"c":0,"a":{"x":1.0,"y":2.0},"b":{"x":0.5,"y":-1.5}}
//@ shifted {"n":3,"p":[{"x":1.0,"y":2.0},{"x":0.5,"y":-1.5},{"x":2.0,"y":0.25}]}
//@ counted {"g":[{"first":[0,2,3],"count":2,"x":[1.0,2.0,3.0]}]}
#include <stddef.h>
typedef struct { double x, y; } Point;
struct Part { double v[2]; int n; };
struct Whole {
    struct Part a, b[2];
    struct { double u, w; };
};
static double norm(struct Part p)
{
    double s = 0;
    for (int i = 0; i < p.n; i++) s += p.v[i] * p.v[i];
    p.v[0] = s;
    return p.v[0] + p.v[1];
}
double nested(struct Whole q, double t)
{
    struct Whole r = q;
    r.b[1] = q.a;
    r.b[1].v[1] *= t;
    r.u += q.w;
    double s = norm(r.a) + norm(q.b[0]) * r.u;
    for (int i = 0; i < 2; i++) s += r.b[i].v[i] * q.b[i].v[1 - i];
    struct Part *p = &r.b[0];
    p->v[0] += t;
    p[1].v[0] *= p->v[0];
    return s + norm(p[1]) + r.b[1].v[0] * (double) sizeof(struct Part);
}
void center(size_t n, const Point *p, Point *out)
{
    out->x = out->y = 0;
    for (size_t i = 0; i < n; ++i) {
        const Point *q = p + i;
        out->x += q->x / n;
        out->y += (*q).y * q->x;
    }
}
Point middle(Point a, Point b, double t)
{
    a.x = a.x + t * (b.x - a.x);
    a.y += t * (b.y - a.y) * a.x;
    return a;
}
double table(int k, double x)
{
    const struct { int key; double c[2]; } rows[] = {{1, {0.5, 1.5}}, {.key = 2, .c = {2.5}}, {3}};
    double s = 0;
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].key == k) s += rows[i].c[0] * x + rows[i].c[1] * x * x;
    return s;
}
double designated(const double *x)
{
    Point p[4] = {{x[0], x[1]}, [2] = {.y = x[2]}, {x[1]}}, q = {.y = x[0] * x[1]};
    Point r[2] = {x[0], x[1], x[2], 4.0};
    double s = q.x + q.y;
    for (int i = 0; i < 4; i++) s = s * 1.25 + p[i].x * 3 + p[i].y * p[i].y;
    r[1] = p[0], r[0].x += r[1].y;
    return s + r[0].x * r[1].x + ((Point){x[0], 2}).x * (&(Point){3, x[1]})->y;
}
static Point larger(Point a, Point b) { return a.x > b.x ? a : b; }
double choose(int c, Point a, Point b)
{
    Point m = c ? a : larger(a, b);
    return larger(m, (Point){.x = 0.75, .y = b.x}).y * m.x + middle(a, b, 0.5).x;
}
static void move(double *to, const double *by) { *to += *by * *by; }
static void swap(Point *a, Point *b) { Point t = *a; *a = *b; *b = t; }
double shifted(int n, Point *p)
{
    for (int i = 0; i + 1 < n; i++) {
        move(&p[i].x, &p[i + 1].y);
        swap(&p[i], p + i + 1);
    }
    Point last = p[n - 1];
    move(&last.y, &last.x);
    return last.y * p[0].x;
}
typedef struct { int first[3], count; double x[3]; } Graph;
double counted(const Graph *g)
{
    double s = 0;
    for (int i = 0; i < g->count; i++)
        for (int k = g->first[i]; k < g->first[i + 1]; k++) s += g->x[k] * g->x[k] * (i + 1);
    return s;
}
