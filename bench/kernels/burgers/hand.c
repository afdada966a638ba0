#include "burgers.h"

#include <math.h>
#include <string.h>

/* The adjoint of u while the steps are reversed; `first` and `last` are those of the fixed ends. */
struct adjoint {
    double *now, *next, *products;
    double first, last, sum;
};

/* One row of the tape is u before a step, bit for bit that of the primal. There are two shapes of the same adjoint.
 * With wide vectors both loops are free of branches, so that they are vectorised; then memory is what costs, and only
 * every SEGMENT-th row is kept, the others are computed again. Else branches are cheaper than arithmetic, and storing
 * is cheaper than computing again. */
#ifdef __AVX2__

#define SEGMENT(steps) 32

static void step(int n, double c, const double *restrict u, double *restrict v)
{
    for (int i = 1; i < n - 1; i++) {
        const double p = 0.5 * (u[i] + fabs(u[i])), m = 0.5 * (u[i] - fabs(u[i]));
        v[i] = u[i] - (c * p * (u[i] - u[i - 1]) + c * m * (u[i + 1] - u[i]));
    }
}

/* Each element gathers from its neighbours; the adjoints of the ends in `now` and `next` are 0. */
static void gather(int n, double c, const double *restrict u, const double *restrict v_b, double *restrict u_b,
                   double *restrict products)
{
    for (int i = 1; i < n - 1; i++) {
        const double left = u[i] - u[i - 1], right = u[i + 1] - u[i];
        /* -0.5 where u[i] > 0, else 0.5, also for zeros of both signs */
        const double sign = copysign(0.5, 0.0 - u[i]);
        const double d = (0.5 - sign) * left + (0.5 + sign) * right;
        const double p = 0.5 * (u[i + 1] + fabs(u[i + 1])), m = 0.5 * (u[i - 1] - fabs(u[i - 1]));
        u_b[i] = v_b[i] + c * (p * v_b[i + 1] - m * v_b[i - 1] - v_b[i] * (d + fabs(u[i])));
        products[i] += v_b[i] * u[i] * d;
    }
}

static void back(int n, double c, const double *u, struct adjoint *g)
{
    double *swap = g->next;
    gather(n, c, u, g->now, g->next, g->products);
    if (n > 2) {
        g->first += u[1] > 0.0 ? c * u[1] * g->now[1] : 0.0;
        g->last -= u[n - 2] > 0.0 ? 0.0 : c * u[n - 2] * g->now[n - 2];
    }
    g->next = g->now;
    g->now = swap;
}

#else

#define SEGMENT(steps) (steps)

static void step(int n, double c, const double *restrict u, double *restrict v)
{
    for (int i = 1; i < n - 1; i++) {
        if (u[i] > 0.0)
            v[i] = u[i] - c * u[i] * (u[i] - u[i - 1]);
        else
            v[i] = u[i] - c * u[i] * (u[i + 1] - u[i]);
    }
}

/* In place, by runs of one sign, from the last element to the first, so that the tape is read as one stream. What an
 * element gets from its neighbours is in registers, `before` for the one visited before and `carry` for this one. */
static void back(int n, double c, const double *restrict u, struct adjoint *g)
{
    double *restrict now = g->now;
    double before = 0.0, carry = 0.0, sum = g->sum;
    int i = n - 2;
    if (n > 2 && !(u[n - 2] > 0.0))
        g->last -= c * u[n - 2] * now[n - 2];
    while (i > 0) {
        for (; i > 0 && u[i] > 0.0; i--) {
            const double v_b = now[i], d = u[i] - u[i - 1], given = c * v_b * u[i];
            now[i + 1] = before;
            before = carry + (v_b - c * v_b * d - given);
            carry = given;
            sum += v_b * (u[i] * d);
        }
        for (; i > 0 && !(u[i] > 0.0); i--) {
            const double v_b = now[i], d = u[i + 1] - u[i], given = c * v_b * u[i];
            now[i + 1] = before - given;
            before = carry + (v_b - c * v_b * d + given);
            carry = 0.0;
            sum += v_b * (u[i] * d);
        }
    }
    if (n > 2)
        now[1] = before;
    g->first += carry;
    g->sum = sum;
}

#endif

double burgers_grad(int n, int steps, double c, double *restrict c_b, const double *restrict u0,
                    double *restrict u0_b, struct room *room)
{
    const size_t row = (size_t)n;
    const int segment = SEGMENT(steps), segments = steps > 0 ? (steps + segment - 1) / segment : 0;
    double *kept = room_for(room, row * ((size_t)segments + (size_t)segment + 4));
    if (kept == NULL)
        return NAN;
    double *tape = kept + row * (size_t)segments, *end = tape;
    struct adjoint g = {.now = tape + row * ((size_t)segment + 1)};
    g.next = g.now + row;
    g.products = g.next + row;

    /* the ends of all rows */
    for (int t = 0; t <= segment; t++) {
        tape[row * (size_t)t] = u0[0];
        tape[row * (size_t)t + row - 1] = u0[n - 1];
    }
    memcpy(tape, u0, row * sizeof *tape);
    for (int s = 0; s < segments; s++) {
        const int count = s < segments - 1 ? segment : steps - segment * s;
        memcpy(kept + row * (size_t)s, end, row * sizeof *tape);
        memcpy(tape, kept + row * (size_t)s, row * sizeof *tape);
        for (int t = 0; t < count; t++)
            step(n, c, tape + row * (size_t)t, tape + row * (size_t)(t + 1));
        end = tape + row * (size_t)count;
    }

    double energy = 0.0;
    for (int i = 0; i < n; i++) {
        energy += 0.5 * end[i] * end[i];
        g.now[i] = end[i];
        g.next[i] = 0.0;
        g.products[i] = 0.0;
    }
    g.first = n > 1 ? end[0] : 0.0;
    g.last = end[n - 1];
    g.now[0] = 0.0;
    g.now[n - 1] = 0.0;

    for (int s = segments - 1; s >= 0; s--) {
        const int count = s < segments - 1 ? segment : steps - segment * s;
        if (s < segments - 1) {
            memcpy(tape, kept + row * (size_t)s, row * sizeof *tape);
            for (int t = 0; t < count - 1; t++)
                step(n, c, tape + row * (size_t)t, tape + row * (size_t)(t + 1));
        }
        for (int t = count - 1; t >= 0; t--)
            back(n, c, tape + row * (size_t)t, &g);
    }
    for (int i = 1; i < n - 1; i++) {
        g.sum += g.products[i];
        u0_b[i] += g.now[i];
    }
    u0_b[0] += g.first;
    u0_b[n - 1] += g.last;
    *c_b -= g.sum;
    return energy;
}
