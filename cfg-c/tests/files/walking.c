//@ dot {"n":4,"x":[1.5,2.0,-0.5,3.0],"y":[0.5,1.0,2.0,-1.0]}
//@ dot {"n":0,"x":[],"y":[]}
//@ copy {"n":3,"to":[0.0,0.0,0.0],"from":[1.5,2.5,3.5]}
//@ backwards {"n":4,"x":[1.5,2.0,-0.5,3.0]}
//@ until {"n":4,"x":[1.5,2.0,-0.5,3.0]}
//@ smooth {"n":5,"steps":3,"x":[1.0,2.0,4.0,-1.0,0.5]}
//@ smooth {"n":5,"steps":4,"x":[1.0,2.0,4.0,-1.0,0.5]}
//@ rows {"n":3,"m":2,"a":[[1.0,2.0],[3.0,4.0],[-1.0,0.5]]}
//@ chosen {"c":1,"x":[1.5,2.5],"y":[0.5,-1.0]}
//@ chosen {"c":0,"x":[1.5,2.5],"y":[0.5,-1.0]}
//@ members {"p":[{"v":[1.0,2.0,3.0],"w":0.5},{"v":[0.5,-1.0,2.0],"w":2.0}],"n":2}
//@ search {"n":4,"x":[1.5,2.0,-0.5,3.0],"t":1.75}
//@ weighted {"n":3,"x":[1.0,2.0,3.0],"w":[0.5,0.25,2.0]}
//@ unweighted {"n":3,"x":[1.0,2.0,3.0]}
//@ largest {"n":4,"x":[1.5,2.0,-0.5,3.0]}
//@ into_rows {"i":1,"x":[1.5,2.0,-0.5,3.0]}
//@ rotated {"n":5,"x":[1.5,2.0,-0.5,3.0]}
/* Pointers that move and are assigned. */
#include <stddef.h>
#include <string.h>
double dot(int n, const double *x, const double *y)
{
    double s = 0;
    const double *end = x + n;
    while (x < end) s += *x++ * *y++;
    return s;
}
void copy(int n, double *to, const double *from)
{
    const double *p = from;
    for (double *q = to; q != to + n; ++q, ++p) *q = *p * *p;
    p = from;
    while (n--) *to++ += *p++;
}
double backwards(int n, const double *x)
{
    double s = 1;
    const double *p = &x[n];
    while (p > x) { --p; s = s * 0.5 + *p * *p; }
    p += n - 1;
    s += p[0] * p[-1];
    p -= 2;
    return s + *(p + 1) + (p - x);
}
double until(int n, const double *x)
{
    const double *p = x;
    double s = 0;
    do s += *p * *p; while (*p++ > 0 && p - x < n);
    return s;
}
double smooth(int n, int steps, const double *x)
{
    double a[n], b[n], *cur = a, *next = b, s = 0;
    for (int i = 0; i < n; i++) cur[i] = x[i], next[i] = 0;
    for (int k = 0; k < steps; k++) {
        next[0] = cur[0];
        next[n - 1] = cur[n - 1] * cur[0];
        for (int i = 1; i + 1 < n; i++) next[i] = 0.25 * cur[i - 1] + 0.5 * cur[i] * cur[i] + 0.25 * cur[i + 1];
        double *t = cur;
        cur = next;
        next = t;
    }
    for (int m = n; *cur < 3 && m--; ) s += *cur++ * (1 + m);
    return s;
}
double rows(int n, int m, double a[n][m])
{
    double s = 0;
    for (int i = 0; i < n; i++) {
        double *p = a[i];
        for (int j = 0; j < m; j++) s += *p++ * (i + 1);
    }
    double (*r)[m] = a;
    r++;
    for (; r - a < n; r++) s += (*r)[0] * r[-1][m - 1];
    return s;
}
double chosen(int c, double *x, double *y)
{
    double *p = c ? x : y, *q = c ? &y[1] : x + 1, *r;
    *p = *p * *q;
    if (c) r = p; else r = q;
    r[0] += 2 * *q;
    return *r * *p + x[0] + y[0];
}
struct item { double v[3], w; };
double members(const struct item *p, int n)
{
    double s = 0;
    for (const struct item *q = p; q < p + n; q++) {
        const double *v = q->v, *end = v + 3;
        for (; v < end; v++) s += *v * q->w;
        const double *w;
        w = &q->w;
        s *= *w;
    }
    return s;
}
double search(int n, const double *x, double t)
{
    const double *found = NULL;
    for (int i = 0; i < n; i++) if (x[i] > t) { found = &x[i]; break; }
    if (!found) return -1;
    return found == NULL ? 0 : *found * t;
}
static double sum(int n, const double *x, const double *w)
{
    double s = 0;
    for (int i = 0; i < n; i++) s += w ? x[i] * w[i] : x[i];
    if (w != NULL && n > 0) s *= w[0];
    return s;
}
double weighted(int n, const double *x, const double *w) { return sum(n, x, w) * sum(n, w, NULL); }
double unweighted(int n, const double *x) { return sum(n, x, 0) * sum(n, x, x); }
static void square(double *x, int n) { while (n--) { *x *= *x; x++; } }
double largest(int n, double *x)
{
    double *m = x;
    for (double *p = x + 1; p < x + n; p++) if (*p > *m) m = p;
    square(m - 1, 1);
    square(x, 2);
    return *m * x[0] + m[-1];
}
double into_rows(int i, const double *x)
{
    double a[3][2] = {{x[0], x[1]}, {x[2], x[3]}, {x[0] * x[1], 1}}, *p, s = 0;
    p = a[0];
    s += p[1];
    p = a[i] + 1;
    s += *p;
    p = &a[2][0];
    s += *p * *(p + 1);
    return s;
}
double rotated(int n, const double *x)
{
    double a[4], b[4], c[4], s = 0;
    double *u = a, *v = b, *w = c;
    memcpy(a, x, 4 * sizeof(double));
    memcpy(b, x, sizeof b);
    memset(c, 0, sizeof(double) * 4);
    for (int i = 0; i < n; i++) {
        w[i % 4] = u[0] * v[(i + 1) % 4];
        double *t = u;
        u = v, v = w;
        w = t;
        memmove(w + 1, w, 3 * sizeof *w);
    }
    for (int i = 0; i < 4; i++) s += u[i] + 2 * v[i] + 3 * w[i];
    return s;
}
