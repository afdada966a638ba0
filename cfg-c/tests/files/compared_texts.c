/* Texts that strcmp compares: names in tables, of structures and of functions, in parameters, members and results. */
#include <stddef.h>
#include <string.h>

struct gas {
    const char *name;
    double mass;
};
static const struct gas gases[] = { { "H2", 2 }, { "O2", 32 }, { "H", 1 } };

static int find(const char *name)
{
    for (int i = 0; i < 3; i++)
        if (!strcmp(gases[i].name, name))
            return i;
    return -1;
}

//@ masses {"x": 1.5}
double masses(double x)
{
    int none = find("He");
    return x * gases[find("O2")].mass + x * x * gases[find("H")].mass + none;
}

struct method {
    const char *name;
    double (*step)(double);
};
static double twice(double x) { return 2 * x; }
static double square(double x) { return x * x; }
static const struct method methods[] = { { "twice", twice }, { "square", square }, { NULL } };
static const struct method *lookup(const char *name)
{
    for (const struct method *m = methods; m->name; m++)
        if (strcmp(m->name, name) == 0)
            return m;
    return NULL;
}

//@ chosen {"x": 3}
double chosen(double x)
{
    const struct method *m = lookup("square"), *none = lookup("cube");
    return (m ? m->step(x) : -1) + (none ? 5 * x : x);
}

static const char *kind(int n) { return n > 1 ? "many" : n ? "one" : "none"; }

/* The sign says which comes first. */
//@ order {"n": 0, "x": 2}
//@ order {"n": 1, "x": 2}
//@ order {"n": 2, "x": 2}
double order(int n, double x)
{
    const char *names[3] = { "many", "one\0more", "\xff" };
    double s = 0;
    for (int i = 0; i < 3; i++) {
        int by = strcmp(kind(n), names[i]);
        s = 3 * s + (by < 0 ? x : by > 0 ? x * x : 1);
    }
    return s + (strcmp("a", "b") < 0 ? x : 0);
}

struct channel {
    const char *tag;
    double c0, c1;
};
static const struct channel channels[] = { { "TC-01", 1, 2 }, { "PT-07", -1.25, 2.5 }, { "" } };

//@ scaled {"x": 3}
double scaled(double x)
{
    for (const struct channel *c = channels; c->tag[0]; c++)
        if (strcmp("PT-07", c->tag) == 0)
            return c->c0 + c->c1 * x * (!channels[2].tag[0] ? x : 1);
    return 0;
}
