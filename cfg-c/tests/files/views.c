//@ aliased {"n":3,"x":[1,2,3]}
//@ swapped {"n":3,"x":[1,2,3],"y":[4,5,6]}
//@ left_early {"n":4,"x":[0.5,0.25,1,1.5]}
//@ grown {"x":[1,2,3]}
//@ with_jumps {"n":3,"x":[1,2,3]}
//@ linked {"x":2}
//@ in_a_loop {"n":3,"x":[1,2,3]}
//@ null_member {"n":3,"x":[1,2,3]}
//@ null_member {"n":1,"x":[1,2,3]}
//@ begin_to_end {"n":3,"x":[1,2,3]}
//@ eaten {"n":3,"x":[1,2,3]}
//@ own_array {"x":2}
//@ task {"n":3,"x":[1,2,3]}
//@ nested_calls {"x":[1,2,3]}
//@ found {"n":3,"x":[1,2,3]}
//@ found {"n":2,"x":[1,0.25,3]}
//@ between {"n":3,"x":[1,5,3]}
//@ left_out {"x":[1,2,3]}
//@ behind_void {"n":3,"x":[1,2,3]}
/* Structures with pointers, where they overlap, are exchanged, left early, or lead to each other. */
#include <math.h>
#include <stdlib.h>
typedef struct { int n; double *v; } Vec;
static void push(Vec *a, double x) { a->v[a->n++] = x; }
/* aliasing: the same structure as both arguments */
static void addto(Vec *a, const Vec *b)
{
    for (int i = 0; i < b->n; i++) a->v[i] += b->v[i];
    a->n = a->n - 1;
    if (b->n != a->n) a->v[0] = 1e9;
}
double aliased(int n, double *x)
{
    Vec a = {n, x};
    addto(&a, &a);
    return a.v[0] + a.n;
}
/* swap by value */
static void swap(Vec *a, Vec *b) { Vec t = *a; *a = *b; *b = t; }
double swapped(int n, double *x, double *y)
{
    Vec a = {n, x}, b = {n - 1, y};
    for (int i = 0; i < n; i++) {
        swap(&a, &b);
        a.v[0] *= 2;
    }
    return a.v[0] + b.v[1] + a.n;
}
/* early return in loops inside of inlined, in a loop condition */
static int step(Vec *a, double *s)
{
    for (int i = 0; i < a->n; i++) {
        if (a->v[i] > 2) return 0;
        if (i == 2) {
            *s += 1;
            return 2;
        }
        *s += a->v[i];
    }
    return 1;
}
double left_early(int n, double *x)
{
    Vec a = {n, x};
    double s = 0;
    int k = 0;
    while (step(&a, &s) && k++ < 4) {
        a.v[k % n] += 0.5;
        if (step(&a, &s) == 2 || step(&a, &s) > 5) s *= 0.5;
    }
    return s;
}
/* order of evaluation with the member as operand */
static double grow(Vec *a, double x) { push(a, x); return a->n; }
double grown(double *x)
{
    Vec a = {0, x};
    double s = grow(&a, 2) * 10;
    s += grow(&a, s) + a.v[0];
    return s + a.v[1];
}
/* goto in inlined, twice */
static double jumpy(const Vec *a, int k)
{
    double s = 0;
    int i = 0;
again:
    s += a->v[i];
    if (++i < k) goto again;
    if (s > 100) goto out;
    s *= 2;
out:
    return s;
}
double with_jumps(int n, double *x)
{
    Vec a = {n, x};
    return jumpy(&a, n) * jumpy(&a, 2) + (n > 2 ? jumpy(&a, 1) : jumpy(&a, 2));
}
typedef struct Node { double v; struct Node *next; } Node;
double linked(double x)
{
    Node a = {x, NULL}, b = {2 * x, &a}, c = {x * x, &b};
    return c.next->next->v * c.next->v + c.v;
}
double in_a_loop(int n, double *x)
{
    double s = 0;
    for (int i = 0; i < n; i++) {
        Vec *m = malloc(sizeof *m);
        m->v = calloc(2, sizeof(double));
        m->n = 0;
        push(m, x[i]);
        s += m->v[0] * (m->v[1] + m->n);
        free(m->v);
        free(m);
    }
    return s;
}
/* null member tested */
double null_member(int n, double *x)
{
    Vec a = {n, NULL};
    if (n > 2) a.v = x;
    if (!a.v) return -1;
    if (a.v != NULL && a.v[0] > 0) return a.v[0];
    return 2 * x[1];
}
/* struct pointer to const, returned interior pointers walking */
static double *end(Vec *a) { return a->v + a->n; }
static double *begin(Vec *a) { return a->v; }
double begin_to_end(int n, double *x)
{
    Vec a = {n, x};
    double s = 0;
    for (double *p = begin(&a); p != end(&a); ++p) s += *p * *p;
    return s;
}
/* param modified in callee, by value */
static double eat(Vec a)
{
    double s = 0;
    while (a.n > 0) {
        s += a.v[--a.n];
        a.v[a.n] = 0;
    }
    return s;
}
double eaten(int n, double *x)
{
    Vec a = {n, x};
    double s = eat(a);
    return s + a.n + a.v[0];
}
/* pointer into a member array of a structure with pointers, address of members */
typedef struct { double w[3]; double *p; int k; } Own;
static void bump(double *q, int *k) { *q += 1; ++*k; }
double own_array(double x)
{
    Own o = {{x, 2 * x}, NULL, 1};
    o.p = o.w;
    bump(&o.w[1], &o.k);
    bump(o.p, &o.k);
    o.p[2] = o.k;
    Own t = o;
    t.w[0] *= 3;
    return o.w[0] + o.w[1] * t.w[0] + o.w[2] + t.p[0];
}
/* function pointer inside a structure with pointers */
typedef struct { double (*f)(const double *, int); double *data; int n; } Task;
static double first(const double *d, int n) { return d[0] * n; }
static double lastof(const double *d, int n) { return d[n - 1] * d[0]; }
static double runtask(const Task *t) { return t->f(t->data, t->n); }
double task(int n, double *x)
{
    Task t = {first, x, n};
    double s = runtask(&t);
    t.f = lastof;
    return s + runtask(&t);
}
/* void pointer to a structure with pointers */
static double cb(double y, void *p) { Vec *v = p; return y * v->v[0] + v->n; }
static double integ(double (*f)(double, void *), void *p, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++) s += f(i * 0.5, p);
    return s;
}
double behind_void(int n, double *x)
{
    Vec a = {n, x};
    return integ(cb, &a, n);
}
/* Pointers that are returned and assigned by functions. */
static double *increased(double *p, int k)
{
    p[0] += k;
    return p + 1;
}
double nested_calls(double *x)
{
    double *p = increased(increased(x, 1), 2);
    return p[0] * x[0] * x[1];
}
static const double *find(const double *x, int n, double v)
{
    for (int i = 0; i < n; i++)
        if (x[i] > v) return &x[i];
    return NULL;
}
double found(int n, const double *x)
{
    double s = 0;
    for (const double *p = x; (p = find(p, n - (int)(p - x), 0.5)) != NULL; p++) s += *p;
    const double *q = find(x, n, 1.5);
    if (!q) return s;
    return s * *q * *q;
}
static void extremes(const double *x, int n, const double **low, const double **high)
{
    *low = *high = x;
    for (int i = 1; i < n; i++) {
        if (x[i] < **low) *low = x + i;
        if (x[i] > **high) *high = x + i;
    }
}
double between(int n, const double *x)
{
    const double *a, *b;
    extremes(x, n, &a, &b);
    return *a - *b * (b - a);
}
static void optional(double *x, double **out)
{
    if (out) *out = x + 1;
    x[0] *= 2;
}
double left_out(double *x)
{
    double *p = x;
    optional(x, NULL);
    optional(x, &p);
    return *p * x[0];
}
