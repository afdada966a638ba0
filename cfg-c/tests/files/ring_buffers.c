//@ echo {"n":6,"x":[1,0.5,-0.3,0.8,0.2,-0.6],"taps":3,"h":[0.5,0.3,0.2],"gain":0.4}
/* A delay line on a ring buffer: an FIR filter and an echo. */
#include <stdbool.h>
#include <stdlib.h>

typedef struct {
    double *buf;
    unsigned head, tail, cap;
} ring;

static bool ring_empty(const ring *r) { return r->head == r->tail; }
static bool ring_full(const ring *r) { return (r->head + 1) % r->cap == r->tail; }

static void ring_push(ring *r, double v)
{
    if (ring_full(r))
        r->tail = (r->tail + 1) % r->cap;
    r->buf[r->head++] = v;
    r->head %= r->cap;
}

static double ring_pop(ring *r)
{
    double v = r->buf[r->tail++];
    if (r->tail == r->cap)
        r->tail = 0;
    return v;
}

static double ring_at(const ring *r, unsigned back)
{
    return r->buf[(r->head + r->cap - 1 - back) % r->cap];
}

static ring *ring_new(unsigned cap)
{
    ring *r = malloc(sizeof *r);
    r->buf = calloc(cap, sizeof *r->buf);
    r->head = r->tail = 0;
    r->cap = cap;
    return r;
}

double echo(int n, const double *x, int taps, const double *h, double gain)
{
    ring *r = ring_new(8), *d = ring_new(4);
    double energy = 0;
    for (int i = 0; i < taps; i++)
        ring_push(r, 0.0);
    for (int i = 0; i < n; i++) {
        ring_push(r, x[i]);
        double y = 0;
        for (int k = 0; k < taps; k++)
            y += h[k] * ring_at(r, k);
        if (ring_full(d))
            y += gain * ring_pop(d);
        ring_push(d, y);
        energy += y * y;
    }
    while (!ring_empty(d))
        energy += 0.1 * ring_pop(d);
    free(r->buf); free(d->buf);
    free(r); free(d);
    return energy;
}
