//@ leap {"n":5,"steps":4,"u":[0.1,0.4,0.9,0.3,0.2]}
/* Three time levels in one buffer whose pointers rotate; interior pointers are handed on. */
#include <stdlib.h>
struct levels { double *old, *now, *new_, *buffer; };
static void rotate(struct levels *l)
{
    double *t = l->old;
    l->old = l->now;
    l->now = l->new_;
    l->new_ = t;
}
static void step(int n, double *restrict out, const double *now, const double *old)
{
    out[0] = now[0];
    out[n - 1] = now[n - 1];
    for (const double *p = now + 1; p < now + n - 1; p++, old++)
        out[p - now] = 2.0 * p[0] - old[1] + 0.25 * p[0] * (p[-1] - 2.0 * p[0] + p[1]);
}
double leap(int n, int steps, const double *u)
{
    struct levels l[1];
    l->buffer = malloc(3 * n * sizeof(double));
    l->old = l->buffer;
    l->now = l->buffer + n;
    l->new_ = &l->buffer[2 * n];
    for (int i = 0; i < n; i++) l->old[i] = l->now[i] = u[i];
    for (int s = 0; s < steps; s++) {
        step(n, l->new_, l->now, l->old);
        rotate(l);
    }
    double y = 0.0;
    for (int i = 0; i < n; i++) y += l->now[i] * l->now[i] * (i + 1);
    free(l->buffer);
    return y;
}
