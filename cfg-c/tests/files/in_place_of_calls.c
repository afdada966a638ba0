//@ stopped {"n":3,"x":[1,2,3]}
//@ first_big {"n":3,"x":[1,2,3.5]}
//@ unknown_parameters {"x":3}
//@ picked {"n":5,"x":[1,2,3,4,5]}
//@ counted_down {"n":4,"x":[1,2,3,4]}
//@ counted {"n":3,"x":[1,2,3]}
//@ shadowed {"n":3,"x":[1,2,3]}
//@ tails {"n":3,"x":[1,2,3]}
//@ overlapping {"n":3,"x":[1,2,3]}
//@ worked {"n":3,"x":[1,2,3]}
/* Functions that stand in place of their calls: left early, called in conditions, with variables of their own. */
#include <stdlib.h>
#include <math.h>
typedef struct { int n; double *v; } Vec;
static void upto(Vec *a, int k, double most)
{
    for (a->n = 0; a->n < k; a->n++) if (a->v[a->n] > most) return;
    a->n = 100;
}
double stopped(int n, double *x)
{
    Vec a = {n, x};
    upto(&a, n, 1.5);
    double s = a.n * x[0];
    upto(&a, n, 9);
    return s + a.n;
}
static int firstbig(const Vec *a, int *where)
{
    int i;
    for (i = 0; i < a->n; i++) {
        for (*where = 0; *where < a->n; ++*where) if (a->v[*where] * a->v[i] > 3) return i;
    }
    return -1;
}
double first_big(int n, double *x)
{
    Vec a = {n, x};
    int w = 7;
    int k = firstbig(&a, &w);
    return k * 10 + w + x[k];
}
typedef double (*old)();
static double sq(double x) { return x * x; }
static double ad(double x, double y) { return x + 3 * y; }
struct H { old f; };
double unknown_parameters(double x) { struct H h = {sq}; double s = h.f(x); return s; }
/* switch in inlined with returns, default in the middle, loops with continue */
static double pick(const Vec *a, int k)
{
    switch (k) {
        case 0: return a->v[0];
        default: return -1;
        case 1: {
            double s = 0;
            for (int i = 0; i < a->n; i++) {
                if (i == 1) continue;
                if (i == 3) return s;
                s += a->v[i];
            }
            return s;
        }
        case 2: break;
    }
    return a->v[1] * 2;
}
double picked(int n, double *x)
{
    Vec a = {n, x};
    double s = 0;
    for (int k = 0; k < 4; k++) s = s * 2 + pick(&a, k);
    return s;
}
/* inlined call in for-step and condition, with counters in the structure */
static int next(Vec *a) { if (a->n <= 0) return 0; a->n--; return a->n; }
double counted_down(int n, double *x)
{
    Vec a = {n, x};
    double s = 0;
    for (int i = next(&a); i > 0 && a.n > 0; i = next(&a)) {
        s += x[i] * i;
        if (s > 100) break;
    }
    return s + a.n;
}
/* static inside inlined */
static int count(const Vec *a) { static int calls = 0; calls += a->n; return calls; }
double counted(int n, double *x)
{
    Vec a = {n, x};
    double s = count(&a) * x[0];
    a.n = 2;
    s += count(&a) * x[1];
    return s + count(&a);
}
/* by value parameter assigned, scalars shadowing names */
static double shadow(Vec a, double *x)
{
    double *v = a.v;
    int n = a.n;
    for (int a = 0; a < n; a++) {
        double x = v[a];
        v[a] = x * 2;
    }
    return *x;
}
double shadowed(int n, double *x)
{
    Vec a = {n, x};
    return shadow(a, x + 1) + shadow(a, a.v);
}
/* conditional structure, nested conditional calls */
static Vec tail(Vec a) { return a.n > 1 ? (Vec){a.n - 1, a.v + 1} : a; }
static double head(Vec a) { return a.v[0]; }
double tails(int n, double *x)
{
    Vec a = {n, x};
    return head(tail(tail(a))) * (head(a) > 0 ? head(tail(a)) : head(a)) + (n > 2 && head(tail(a)) > 1 ? 1 : 0);
}
/* pointer parameters which overlap */
static void axpy(Vec *y, const Vec *x, double a)
{
    for (int i = 0; i < x->n; i++) y->v[i] += a * x->v[i];
}
double overlapping(int n, double *x)
{
    Vec a = {n, x}, b = {n - 1, x + 1};
    axpy(&a, &b, 2);
    a.n--;
    axpy(&b, &a, 3); return x[0] + x[n - 1]; }
/* VLA and arrays in inlined functions */
static double work(const Vec *a, int n)
{
    double t[3] = {0}, s = 0;
    for (int i = 0; i < n && i < 3; i++) {
        t[i] += a->v[i];
        s += t[i] * t[0];
    }
    return s;
}
double worked(int n, double *x)
{
    Vec a = {n, x};
    double s = 0;
    for (int k = 1; k <= n; k++) s += work(&a, k);
    return s;
}
