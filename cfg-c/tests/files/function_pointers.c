//@ chosen {"k":0,"x":0.75}
//@ chosen {"k":1,"x":0.75}
//@ chosen {"k":-1,"x":0.75}
//@ tables {"n":4,"x":[0.5,-1.25,0.75,0.25]}
//@ callbacks {"n":7,"a":0.25,"b":1.5}
//@ walked {"n":5,"x":0.75}
//@ in_structures {"n":3,"x":[0.5,-1.25,0.75]}
//@ ordered {"x":0.75}
//@ minimum {"x":[0.5,0.25,2.0]}
//@ nested {"a":0.5,"b":1.25}
/* Functions that are chosen, stored, passed, and called through pointers. */
#include <math.h>
#include <stddef.h>
typedef double (*Function)(double);
static double square(double x) { return x * x; }
static double cube(double x) { return x * x * x; }
static double waves(double x) { return sin(3 * x) + x; }
double chosen(int k, double x)
{
    double (*f)(double) = k > 0 ? square : &cube;
    double s = f(x) + (*f)(2 * x);
    if (k < 0) f = waves;
    s *= (***f)(x - 1);
    Function g = NULL;
    if (!g) g = exp;
    if (g != NULL && f != cube) g = sqrt;
    return s + g(x) * (f == waves ? 2 : 1);
}
static double (*const table[])(double) = {square, cube, waves, tanh};
static Function changing[3] = {cos, [2] = square};
double tables(int n, const double *x)
{
    double (*own[2])(double) = {n > 3 ? waves : square, sin};
    double s = 0;
    int k = 0;
    changing[1] = atan;
    for (int i = 0; i < n; i++) {
        s += table[i](x[i]) * own[i & 1](x[i]);
        s -= changing[k++ % 3](s);
    }
    changing[1] = NULL;
    return s;
}
static double integral(double (*f)(double, void *), void *data, double a, double b, int n)
{
    double h = (b - a) / n, s = 0;
    for (int i = 0; i < n; i++) s += h * f(a + (i + 0.5) * h, data);
    return s;
}
struct Line { double slope, height; int calls; };
static double line(double x, void *data)
{
    struct Line *l = data;
    l->calls++;
    return l->slope * x + l->height;
}
static double power(double x, void *data) { return pow(x, *(const double *)data); }
static double plain(double x, void *unused) { (void)unused; return exp(-x * x); }
double callbacks(int n, double a, double b)
{
    struct Line l = {a, b, 0};
    double p = 1.5 + a;
    double s = integral(line, &l, a, b, n) + integral(power, &p, a, b, n);
    return s * integral(plain, NULL, 0.0, b, n) + 0.01 * l.calls;
}
static double repeated(double x, int times, double f(double))
{
    return times <= 0 ? x : repeated(f(x), times - 1, f);
}
static double alternating(double x, int times, Function f, Function g)
{
    if (times == 0) return f(x);
    return 0.5 * alternating(x, times - 1, g, f) + g(x);
}
static double any(Function f, double x)
{
    if (x > 0.5) f = waves;
    return f ? f(x) : x;
}
double walked(int n, double x)
{
    Function f = n & 1 ? cube : NULL;
    double s = repeated(x, n, cos) + alternating(x, n, square, sin);
    return s + any(f, x - 0.5) + any(NULL, x - 0.5) + any(square, x);
}
struct Stage { double scale; Function f; };
static const struct Stage stages[] = {{0.5, square}, {2.0, sin}, {0.25, cube}};
static double applied(struct Stage s, double x) { return s.scale * s.f(x); }
static double moved(struct Stage *s, double x)
{
    s->f = x > 0 ? square : waves;
    return s->f(x);
}
double in_structures(int n, const double *x)
{
    double s = 0;
    struct Stage own = {.f = tanh, .scale = 3};
    for (int i = 0; i < n; i++) {
        s += applied(stages[i], x[i]) + own.f(x[i]);
        s *= moved(&own, x[i]);
        own.scale = s;
    }
    return s + applied(own, x[0]);
}
static int count;
static Function next(void) { return count++ ? cube : waves; }
double ordered(double x)
{
    Function f = next();
    double s = f(x) * next()(x + 1);
    return s + (f = square, f(x)) + count;
}
static double objective(const double *x, int n, void *scale)
{
    double s = 0;
    for (int i = 0; i < n; i++) s += *(double *)scale * x[i] * x[i] + sin(x[i]);
    return s;
}
static void numeric(double (*f)(const double *, int, void *), double *x, int n, void *data, double *g)
{
    double at = f(x, n, data);
    for (int i = 0; i < n; i++) {
        double old = x[i];
        x[i] += 0.125;
        g[i] = (f(x, n, data) - at) / 0.125;
        x[i] = old;
    }
}
double minimum(double *x)
{
    double g[3], scale = 0.5;
    for (int k = 0; k < 4; k++) {
        numeric(objective, x, 3, &scale, g);
        for (int i = 0; i < 3; i++) x[i] -= 0.25 * g[i];
    }
    return objective(x, 3, &scale);
}
struct Outer { double (*inner)(double, void *); double shift; };
static double inner_part(double x, void *data) { return x * ((struct Outer *)data)->shift; }
static double outer_part(double y, void *data)
{
    struct Outer *o = data;
    return integral(o->inner, o, 0.0, y, 3) + y;
}
double nested(double a, double b)
{
    struct Outer o = {inner_part, a};
    return integral(outer_part, &o, a, b, 4);
}
