//@ response {"k1":2,"k2":3,"c":0.4,"omega":1.7,"verbose":0}
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
enum kind { SPRING, DAMPER };
struct element { const char *name; enum kind kind; double k; struct element *next; };
struct model { char *title; struct element *first; int count; };
static const char *kinds[] = { "spring", "damper" };
static struct element *element_new(struct model *m, const char *name, enum kind kind, double k)
{
    struct element *e = malloc(sizeof *e);
    if (e == NULL) { fprintf(stderr, "out of memory for %s\n", name); exit(1); }
    e->name = name ? name : "anonymous";
    e->kind = kind;
    e->k = k;
    e->next = m->first;
    m->first = e;
    m->count++;
    return e;
}
static void describe(const struct element *e, int verbose)
{
    if (verbose) fprintf(stderr, "%s: %s %g\n", e->name, kinds[e->kind], e->k);
}
double response(double k1, double k2, double c, double omega, int verbose)
{
    struct model m = { "oscillator", NULL, 0 };
    element_new(&m, "left", SPRING, k1);
    element_new(&m, "right", SPRING, k2);
    element_new(&m, "dashpot", DAMPER, c);
    double re = -omega * omega, im = 0;
    for (struct element *e = m.first; e; e = e->next) {
        describe(e, verbose);
        switch (e->kind) {
        case SPRING: re += e->k; break;
        case DAMPER: im += omega * e->k; break;
        }
    }
    while (m.first) { struct element *e = m.first; m.first = e->next; free(e); }
    return 1.0 / sqrt(re * re + im * im);
}
