//@ grown {"n":150,"x":0.25}
//@ grown_in_turn {"n":12,"x":0.25}
/* Arrays that become longer by one element at a time, behind pointers. */
#include <stdlib.h>
struct series { int n; double *values; struct series *other; };
static void append(struct series *s, double value)
{
    s->values = realloc(s->values, (s->n + 1) * sizeof *s->values);
    s->values[s->n++] = value;
}
static double energy(const struct series *s)
{
    double e = 0.0;
    for (int i = 0; i < s->n; i++)
        e += s->values[i] * s->values[i] / (i + 1);
    return e;
}
double grown(int n, double x)
{
    struct series *s = calloc(1, sizeof *s);
    for (int i = 0; i < n; i++)
        append(s, i % 7 == 3 ? s->values[i - 2] * x : x * i - 1.0);
    s->values = realloc(s->values, n / 2 * sizeof *s->values);
    s->n = n / 2;
    double e = energy(s);
    free(s->other);
    free(s->values);
    free(s);
    return e;
}

/* Of two only one lies at the end, so that the other moves. */
double grown_in_turn(int n, double x)
{
    struct series a = {0, NULL, NULL}, b = {0, NULL, &a};
    for (int i = 0; i < n; i++) {
        append(i % 3 ? &b : b.other, x + i);
        if (i == n / 2)
            append(&b, energy(&a));
    }
    double e = energy(&a) - 0.5 * energy(b.other->n > 2 ? &b : &a);
    free(b.values);
    free(a.values);
    return e;
}
