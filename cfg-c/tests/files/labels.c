//@ response {"k1":2,"c":0.4,"omega":1.7}
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
enum kind { SPRING, DAMPER };
struct part { const char *name; enum kind kind; double k; };
static const char *kind_name(enum kind kind)
{
    switch (kind) { case SPRING: return "spring"; default: return "damper"; }
}
static const char *pick(const char *a, const char *b, int first) { return first ? a : b; }
static void report(const struct part *p, const char *prefix, double x)
{
    if (x < 0.0) fprintf(stderr, "%s%s (%s): %g\n", prefix, p->name, kind_name(p->kind), x);
}
static struct part make(const char *name, enum kind kind, double k)
{
    struct part p = { name, kind, k };
    return p;
}
static double checked(double x, const char *what)
{
    char const *label = pick(what, "value", x > 0);
    if (!isfinite(x)) { fprintf(stderr, "%s is not finite\n", label); abort(); }
    return x;
}
double response(double k1, double c, double omega)
{
    struct part parts[2];
    parts[0] = make("left", SPRING, k1);
    parts[1] = make("dashpot", DAMPER, c);
    double re = -omega * omega, im = 0;
    for (int i = 0; i < 2; i++) {
        report(&parts[i], "> ", omega);
        if (parts[i].kind == SPRING) re += checked(parts[i].k, "stiffness"); else im += omega * parts[i].k;
    }
    return checked(1.0 / sqrt(re * re + im * im), parts[0].name);
}
