//@ tern {"x": [1, 3, 2, 0.5], "n": 4}
//@ ddot {"n": 2, "x": [1, 2, 3, 4], "incx": 2, "y": [5, 6, 7], "incy": -1}
//@ dnrm2 {"n": 3, "x": [3, 4, 12], "incx": 1}
//@ horner {"c": [1, 2, 3, 4], "n": 4, "x": 0.5}
//@ filt {"x": [1, 2, 3], "n": 3}
//@ copyout {"a": [1, 2, 3, 4, 5, 6], "n": 6, "lo": 2}
//@ duff {"x": [1, 2, 3, 4, 5, 6, 7], "n": 7}
//@ collatz {"n": 7, "x": 0.3}
//@ med3 {"a": 3.0, "b": 1.0, "c": 2.0}
//@ lit {"a": 1.2, "b": 0.7}
//@ sizet {"n": 5, "x": [1, 2, 3, 4, 5]}
/* Idioms of loops, pointers and macros. */
#include <math.h>
#include <stddef.h>
#include <string.h>
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define SWAP(T, a, b) do { T t_ = (a); (a) = (b); (b) = t_; } while (0)
double tern(const double *x, int n)
{
    int i = 0, j = n - 1;
    double s = 0, t = 1;
    while (i <= j)
        (x[i] > x[j]) ? (s += x[i++]) : (t *= x[j--]);
    return s * t;
}
double ddot(int n, const double *x, int incx, const double *y, int incy)
{
    double s = 0;
    int ix = incx < 0 ? (1 - n) * incx : 0, iy = incy < 0 ? (1 - n) * incy : 0;
    while (n-- > 0) {
        s += x[ix] * y[iy];
        ix += incx;
        iy += incy;
    }
    return s;
}
double dnrm2(int n, const double *x, int incx)
{
    double scale = 0.0, ssq = 1.0;
    if (n < 1 || incx < 1) return 0.0;
    else if (n == 1) return fabs(x[0]);
    for (int ix = 0; ix <= (n - 1) * incx; ix += incx)
        if (x[ix] != 0.0) {
            double absxi = fabs(x[ix]);
            if (scale < absxi) {
                double r = scale / absxi;
                ssq = 1.0 + ssq * (r * r);
                scale = absxi;
            } else {
                double r = absxi / scale;
                ssq += r * r;
            }
        }
    return scale * sqrt(ssq);
}
double horner(const double *c, int n, double x)
{
    const double *p = c + n;
    double r = *--p;
    while (p != c) r = r * x + *--p;
    return r;
}
static int calls;
static double memo(double x)
{
    static double last = 0.0;
    static int first = 1;
    calls++;
    if (first) { first = 0; last = x; return x; }
    double r = 0.5 * (last + x);
    last = x;
    return r;
}
double filt(const double *x, int n)
{
    double s = 0;
    int k = n;
    while (k--) s += memo(x[k]) * x[k];
    return s;
}
void copyout(double *a, int n, int lo)
{
    double *d = a, *s = a + lo, *const e = a + n;
    while (s < e) *d++ += 2 * *s++;
    for (; d < e; ++d) *d = -*d;
}
double duff(const double *x, int n)
{
    double s = 0;
    int k = (n + 3) / 4;
    switch (n % 4) {
    case 0: do { s += *x++; /* fall through */
    case 3:      s += 2 * *x++;
    case 2:      s *= *x++;
    case 1:      s -= *x++;
            } while (--k > 0);
    }
    return s;
}
double collatz(int n, double x)
{
again:
    if (n == 1) return x;
    if (n & 1) { n = 3 * n + 1; x = sin(x) + n * 1e-2; goto again; }
    n >>= 1; x *= 1.1;
    goto again;
}
double med3(double a, double b, double c)
{
    if (a > b) SWAP(double, a, b);
    if (b > c) SWAP(double, b, c);
    if (a > b) SWAP(double, a, b);
    return b * MAX(a, c) + MIN(a, MIN(b, c));
}
typedef struct { double x, y; } P;
static P add(P a, P b) { return (P){a.x + b.x, a.y + b.y}; }
static P scale(P a, double s) { return (P){.y = a.y * s, .x = a.x * s}; }
static double norm2(const P *p) { return p->x * p->x + p->y * p->y; }
static double sum3(const double *a) { return a[0] + 2 * a[1] + 3 * a[2]; }
double lit(double a, double b)
{
    P p = add((P){a, b}, scale((P){.x = 1, .y = a * b}, 2));
    double r = norm2(&(P){p.x, sin(p.y)});
    r += sum3((double[]){a, b, a * b});
    r += sum3((const double[3]){[2] = a});
    return r;
}
double sizet(size_t n, const double *x)
{
    double s = 0;
    for (size_t i = n - 1; i < n; i--) s = s * 0.5 + x[i];
    for (size_t i = n; i-- != 0; ) s += x[i] * (double)i;
    for (ptrdiff_t i = (ptrdiff_t)n - 1; i >= 0; i -= 2) s -= x[i];
    unsigned long long k = n;
    while (k > 1) { k /= 2; s *= x[k]; }
    return s;
}
