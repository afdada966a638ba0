//@ dots {"n":2,"x":[0.3,0.7,1.1]}
//@ scaled {"x":[0.3,0.7,1.1]}
//@ recursive {"x":[0.3,0.7,1.1]}
//@ cleared {"x":[0.3,0.7,1.1]}
//@ copied {"x":[0.3,0.7,1.1]}
//@ one {"x":[0.3,0.7,1.1]}
/* Pointers to members that go on to the members behind: of one type, so that they lie side by side. */
#include <stdlib.h>
#include <string.h>

struct vector {
    double x, y, z;
};

struct particle {
    int kind;
    struct vector at, v;
    double mass;
};

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

double dots(int n, const double x[3])
{
    struct vector v = {x[0], x[1], x[2]}, w = {x[1], 2, x[0]};
    struct particle *p = calloc(n, sizeof *p);
    for (int i = 0; i < n; i++) {
        p[i].at = v;
        p[i].v.x = x[2] * i;
        p[i].mass = 1 + i;
    }
    double s = dot(&v.x, &w.x);
    for (int i = 0; i < n; i++)
        s += dot(&p[i].at.x, &p[i].v.x) * dot(&p[i].at.y, &w.x) * p[i].mass;
    free(p);
    return s;
}

static void scale(double *a, int n, double c)
{
    for (int i = 0; i < n; i++)
        a[i] *= c;
}

double scaled(const double x[3])
{
    struct particle p[2] = {{1, {x[0], x[1], x[2]}, {1, 2, 3}, 4}, {2, {1, 1, 1}, {x[1], x[1], x[0]}, 5}};
    scale(&p[0].at.y, 5, x[2]);
    scale(&p[1].v.z, 2, x[0]);
    return p[0].at.x + p[0].at.y * p[0].at.z + p[0].v.z + p[0].mass + p[1].v.z * p[1].mass;
}

static double rest(const double *p, int n)
{
    return n == 0 ? 0 : p[0] + 2 * rest(p + 1, n - 1);
}

double recursive(const double x[3])
{
    struct particle p = {0, {x[0], x[1], x[2]}, {x[0] * x[1], x[2], x[2]}, 1};
    return rest(&p.at.y, 4);
}

double cleared(const double x[3])
{
    struct particle p[2] = {{1, {x[0], x[1], x[2]}, {x[2], 2, 3}, x[1]}, {1, {x[0], x[1], x[2]}, {x[1], 2, 3}, x[0]}};
    memset(&p[1].at.y, 0, 3 * sizeof(double));
    return p[1].at.x * p[1].v.y + p[1].at.y + p[1].at.z + p[1].v.x + p[1].mass + p[0].v.x;
}

double copied(const double x[3])
{
    struct particle p = {0}, q;
    double w[3];
    memcpy(&p.at.x, x, 3 * sizeof(double));
    memcpy(w, &p.at.x, sizeof w);
    q = p;
    memcpy(&q.v.y, &p.at.y, 2 * sizeof q.v.y);
    return q.at.x * w[1] + q.v.y * q.v.z + w[2];
}

static void add(double *to, double what)
{
    *to += what;
}

/* One member is no more than one. */
double one(const double x[3])
{
    struct vector v = {x[0], x[1], x[2]};
    add(&v.y, x[0] * x[2]);
    add(&v.z, v.y);
    return v.x * v.y * v.z;
}
