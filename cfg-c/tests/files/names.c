//@ gauss {"a": 0.1, "b": 1.7}
//@ pivots {"n": 3, "a": [4, 1, 0.5, 1, 5, 1, 0.5, 1, 6]}
//@ chosen {"k": 2, "x": 0.8}
/* Texts that are only printed: names in tables of structures, tables of names, messages that are set before a jump. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>

struct rule {
    double node, weight;
    int kind;
    const char *name;
};
static const struct rule rules[] = {
    {0.0, 0.8888888888888888, 0, "mid"},
    {0.7745966692414834, 0.5555555555555556, 1, "right"},
    {.name = "left", .node = -0.7745966692414834, .weight = 0.5555555555555556, .kind = 1},
};
#define NRULES (sizeof(rules) / sizeof(rules[0]))

double gauss(double a, double b)
{
    static const double half = 0.5;
    double c = half * (a + b), h = half * (b - a), s = 0;
    for (size_t i = 0; i < NRULES; ++i) {
        const struct rule *r = &rules[i];
        double t = c + h * r->node;
        fprintf(stderr, "%s: %g\n", r->name, t);
        s += r->weight * exp(-t * t) * (r->kind ? 1.0 : cos(t));
    }
    return s * h;
}

double pivots(int n, const double *a)
{
    double lu[16], product = 1;
    const char *why = NULL;
    for (int k = 0; k < n * n; k++)
        lu[k] = a[k];
    for (int k = 0; k < n; k++) {
        double p = lu[k * n + k];
        if (p == 0) {
            why = "a pivot is 0";
            goto failed;
        }
        product *= p;
        for (int i = k + 1; i < n; i++)
            for (int j = n; j-- > k;)
                lu[i * n + j] -= lu[i * n + k] / p * lu[k * n + j];
    }
    why = product > 0 ? "positive" : "negative";
    fprintf(stderr, "%s\n", why);
    return product;
failed:
    fprintf(stderr, "failed: %s\n", why);
    return 0;
}

static const char *const labels[3] = {"sine", "cosine", "tangent"};
typedef struct {
    char const *label;
    double value;
} result;

static result computed(int k, double x)
{
    result r = {labels[k], 0};
    switch (k) {
    case 0: r.value = sin(x); break;
    case 1: r.value = cos(x); break;
    default: r.value = tan(x); r.label = "other";
    }
    return r;
}

double chosen(int k, double x)
{
    result all[2];
    all[0] = computed(k, x);
    all[1] = (result){"square", all[0].value * all[0].value};
    for (int i = 0; i < 2; i++)
        fprintf(stderr, "%s %g\n", all[i].label, all[i].value);
    return all[0].value + 0.5 * all[1].value;
}
