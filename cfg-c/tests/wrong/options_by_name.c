#include <string.h>
struct option { const char *key; double value; };
static struct option options[] = {{"step", 0.05}, {"decay", 0.99}, {NULL, 0}};
static double option(const char *key, double otherwise)
{
    for (const struct option *o = options; o->key; o++)
        if (strcmp(o->key, key) == 0)
            return o->value;
    return otherwise;
}
double f(double x) { return x * option("step", 0.1); }
