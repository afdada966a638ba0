//@ start {"x":0.5}
/* A structure of many members that is handed on by a function whose pointers may meet in it. */
#define TEN(p) double p##0, p##1, p##2, p##3, p##4, p##5, p##6, p##7, p##8, p##9
struct wide { TEN(a); TEN(b); TEN(c); TEN(d); TEN(e); TEN(f); TEN(g); TEN(h); TEN(i); TEN(j); TEN(k); TEN(l); TEN(m); TEN(n); TEN(o); };
static void grow(double t, struct wide *w)
{
    w->a0 += t * w->b1;
    w->b1 += t * w->o9;
    w->o9 += t * w->a0;
}
static void state(struct wide *w, double t, double *r, double *v)
{
    grow(t, w);
    r[0] = w->a0 * t;
    v[0] = w->o9 + r[0];
}
double start(double x)
{
    struct wide w = {0};
    double r[3], v[3];
    w.a0 = x;
    w.b1 = x * x;
    w.o9 = x * x * x;
    state(&w, 0.5, r, v);
    state(&w, 0.25, &w.b1, v);
    return r[0] + v[0] + w.b1;
}
