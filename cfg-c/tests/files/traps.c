//@ countdown {"n":4,"x":[1.5,2.5,0.5,0.25]}
//@ while_step {"n":3,"x":[0.5,0.25,0.75]}
//@ nested_return {"n":3,"x":[0.5,1.25,0.75]}
//@ nested_return {"n":2,"x":[0.5,0.25]}
//@ fall_through {"k":0,"x":[1.5,2.5,0.5]}
//@ fall_through {"k":1,"x":[1.5,2.5,0.5]}
//@ fall_through {"k":2,"x":[1.5,2.5,0.5]}
//@ fall_through {"k":7,"x":[1.5,2.5,0.5]}
//@ fall_through {"k":9,"x":[1.5,2.5,0.5]}
//@ arms {"k":2,"x":[1.5,2.5,0.5]}
//@ arms {"k":3,"x":[1.5,2.5,0.5]}
//@ arms {"k":3,"x":[-1.5,2.5,0.5]}
//@ arms {"k":-3,"x":[-1.5,2.5,0.5]}
//@ goto_out {"n":3,"x":[1.5,0.25,0.5]}
//@ goto_out {"n":3,"x":[0.5,0.25,0.5]}
//@ two_entries {"n":3,"x":[0.5,0.25,0.75]}
//@ two_entries {"n":3,"x":[-0.5,0.25,0.75]}
//@ post_step {"n":3,"x":[0.5,0.25,0.75]}
//@ real_bound {"end":2.5,"x":[0.5,0.25,0.75]}
//@ changed_index {"n":4,"x":[0.5,-0.25,0.75,1.5]}
//@ sizes {"n":5,"x":[0.5,-0.25,0.75,1.5,2.0]}
//@ globals {"n":3,"x":[0.5,-0.25,0.75]}
//@ pointers {"x":[0.5,-0.25,0.75]}
//@ single {"a":0.5,"x":[0.25,0.75]} --fd-tolerance 1e-2 --tolerance 1e-5
//@ random_weights {"seed":42,"n":3,"x":[0.5,-0.25,0.75]}
//@ least {"n":3,"x":[0.5,0.625,0.75]}
#include <stddef.h>
#include <math.h>
/* Loops that count in ways of their own. */
double countdown(unsigned n, const double *x)
{
    double s = 0;
    for (unsigned i = n - 1; i < n; i--) s = s * 0.5 + x[i] * x[i];
    return s;
}
double while_step(int n, const double *x)
{
    double s = 1;
    int k = n;
    while (k--) s *= 1 + x[k] * x[n - 1 - k];
    return s;
}
double nested_return(int n, const double *x)
{
    double s = 0;
    int i, j;
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++) {
            s += x[i] * x[j];
            if (s > 3.0) return s * (i + 10 * j);
        }
    return s + i + j;
}
double fall_through(int k, const double *x)
{
    double s = x[0];
    switch (k) {
    case 0: s = s * x[1];
    case 1: s = s + x[2]; break;
    default: s = s * s;
    case 7: s -= x[1]; break;
    case 2: { s /= x[2]; break; }
    }
    return s;
}
double arms(int k, const double *x)
{
    switch (k) {
    case 1: case 2: return x[0] * x[1];
    case 3: if (x[0] > 0) break; return x[1];
    default: return x[2] * x[2];
    }
    return x[0] * 3;
}
double goto_out(int n, const double *x)
{
    double s = 0;
    int i;
    for (i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            s += x[i] * x[j];
            if (s > 2) goto out;
        }
out:
    return s * (1 + i);
}
double two_entries(int n, const double *x)
{
    double s = 1;
    int i = 0;
    if (x[0] > 0) goto middle;
top:
    s = s * x[i] + 1;
middle:
    s = s + x[i] * x[i];
    if (++i < n) goto top;
    return s;
}
double post_step(int n, const double *x)
{
    double s = 0;
    int i = 0;
    while (i < n) { double t = x[i++]; s += t * t * i; }
    return s;
}
double real_bound(double end, const double *x)
{
    double s = 0;
    for (int i = 0; i < end; i++) s += x[i] * x[i] * (i + 1);
    return s;
}
double changed_index(int n, const double *x)
{
    double s = 0;
    for (int i = 0; i < n; i++) {
        s += x[i] * x[i];
        if (x[i] < 0) i++;
    }
    return s;
}
double sizes(size_t n, const double *x)
{
    double s = 0;
    for (size_t i = 0; i < n; i++) s += x[i] * x[n - 1 - i] * (double) i;
    for (long k = (long) n - 1; k >= 0; k -= 2) s -= x[k];
    return s;
}
static double total;
static void add(double v) { static int calls = 0; calls++; total += v * calls; }
double globals(int n, const double *x)
{
    total = 0;
    for (int i = 0; i < n; i++) add(x[i] * x[i]);
    return total;
}
void swap(double *a, double *b) { double t = *a; *a = *b * 2; *b = t; }
double pointers(const double *x)
{
    double a = x[0], b = x[1], v[3] = {x[1], x[2], 1};
    const double *row = &x[1];
    swap(&a, &b);
    swap(&v[0], v + 1);
    return a * b + v[0] * row[1] + *row;
}
float single(float a, const float *x) { return a * x[0] + x[1] * 2.5f; }
unsigned hash(unsigned seed) { return (seed * 1664525u + 1013904223u) >> 3 ^ seed; }
double random_weights(unsigned seed, int n, const double *x)
{
    double s = 0;
    for (int i = 0; i < n; i++) { seed = hash(seed); s += x[i] * (seed % 1000) / 1000.0; }
    return s;
}
double least(int n, const double *x)
{
    double m = x[0];
    for (int i = 1; i < n; i++) m = fmin(m, x[i] * x[i]);
    return m + fmax(x[0], -x[1]);
}
