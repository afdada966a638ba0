/* The gradient of shallow.c by hand: the adjoint of a step, and binomial checkpointing (Griewank and Walther, Algorithm
   799) with STATES states in memory, that in front of the first step included. */
#include "shallow.c"
#include <stdint.h>
#include <string.h>

struct state {
    double h[N][N], p[N][N], q[N][N];
};

/* Steps that `states` states reverse if none runs more than `times` times without being reversed: C(states + times,
   states), but at most `limit`. */
static int64_t reach(int64_t states, int64_t times, int64_t limit)
{
    int64_t steps = 1;
    for (int64_t k = 1; k <= times; k++) {
        steps = steps * (states + k) / k;
        if (steps >= limit) return limit;
    }
    return steps;
}

/* Steps from a state to the next one that is kept, where `steps` steps are to be reversed with that state and
   `states` - 1 others. */
static int64_t advance(int64_t steps, int64_t states)
{
    int64_t times = 1, near, far;
    if (states == 1) return steps - 1;
    while (reach(states, times, steps) < steps) times++;
    far = reach(states, times - 1, steps);
    near = steps - reach(states - 1, times - 1, steps);
    return near < far ? near : far;
}

/* Adjoints of the state after a step become those of the state before it, `u`. A cell gathers from the four cells that
   have read it: where x and y are differences of their adjoints, and v and w the velocities p/h and q/h, the adjoint of
   its flux (p, p v + g/2 h^2, p w) is that of x, of (q, q v, q w + g/2 h^2) that of y. */
static void reverse_step(double dt, const struct state *u, struct state *u_b)
{
    static double a[N][N], b[N][N], c[N][N];
    const double g = 9.81, r = dt / 2.0;
    memcpy(a, u_b->h, sizeof a);
    memcpy(b, u_b->p, sizeof b);
    memcpy(c, u_b->q, sizeof c);
    for (int i = 0; i < N; i++) {
        const int n = i == N - 1 ? 0 : i + 1, s = i == 0 ? N - 1 : i - 1;
        for (int j = 0; j < N; j++) {
            const int e = j == N - 1 ? 0 : j + 1, w = j == 0 ? N - 1 : j - 1;
            const double h = u->h[i][j], v_x = u->p[i][j] / h, v_y = u->q[i][j] / h;
            const double xa = r * (a[n][j] - a[s][j]), xb = r * (b[n][j] - b[s][j]), xc = r * (c[n][j] - c[s][j]);
            const double ya = r * (a[i][e] - a[i][w]), yb = r * (b[i][e] - b[i][w]), yc = r * (c[i][e] - c[i][w]);
            const double cross = xc + yb;
            u_b->h[i][j] = 0.25 * (a[n][j] + a[s][j] + a[i][e] + a[i][w]) + (g * h - v_x * v_x) * xb
                + (g * h - v_y * v_y) * yc - v_x * v_y * cross;
            u_b->p[i][j] = 0.25 * (b[n][j] + b[s][j] + b[i][e] + b[i][w]) + xa + 2.0 * v_x * xb + v_y * cross;
            u_b->q[i][j] = 0.25 * (c[n][j] + c[s][j] + c[i][e] + c[i][w]) + ya + 2.0 * v_y * yc + v_x * cross;
        }
    }
}

static struct state kept[STATES];
static int64_t at[STATES], count;

/* Runs from the state in front of step `here` to that in front of step `last`, and keeps states on the way. */
static void run_to(int64_t here, int64_t last, double dt, struct state *u)
{
    while (here < last) {
        const int64_t to = here + advance(last + 1 - here, STATES - count + 1);
        for (; here < to; here++) step(dt, u->h, u->p, u->q);
        if (here < last) {
            kept[count] = *u;
            at[count++] = here;
        }
    }
}

/* As the function of this name that cfgrev writes, with the same operations for the value. */
int energy_grad(int steps, double dt, double *dt_b, double *h, double *h_b, double *p, double *p_b, double *q,
                double *q_b, double *value, double value_b, void *tape)
{
    static struct state u, before, u_b;
    double e = 0.0;
    (void)dt_b, (void)tape;
    memcpy(u.h, h, sizeof u.h);
    memcpy(u.p, p, sizeof u.p);
    memcpy(u.q, q, sizeof u.q);
    memcpy(u_b.h, h_b, sizeof u.h);
    memcpy(u_b.p, p_b, sizeof u.p);
    memcpy(u_b.q, q_b, sizeof u.q);
    if (steps > 0) {
        kept[0] = u;
        at[0] = 0;
        count = 1;
        run_to(0, steps - 1, dt, &u);
        before = u;
        step(dt, u.h, u.p, u.q);
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            const double a = u.h[i][j], b = u.p[i][j], c = u.q[i][j];
            e += 0.5 * (b * b + c * c) / a + 0.5 * 9.81 * (a - 1.0) * (a - 1.0);
            u_b.h[i][j] += value_b * (9.81 * (a - 1.0) - 0.5 * (b * b + c * c) / (a * a));
            u_b.p[i][j] += value_b * b / a;
            u_b.q[i][j] += value_b * c / a;
        }
    *value = e;
    memcpy(h, u.h, sizeof u.h);
    memcpy(p, u.p, sizeof u.p);
    memcpy(q, u.q, sizeof u.q);
    if (steps > 0) reverse_step(dt, &before, &u_b);
    for (int64_t last = steps - 2; last >= 0; last--) {
        const int64_t here = at[count - 1];
        if (here == last)
            reverse_step(dt, &kept[--count], &u_b);
        else {
            u = kept[count - 1];
            run_to(here, last, dt, &u);
            reverse_step(dt, &u, &u_b);
        }
    }
    memcpy(h_b, u_b.h, sizeof u.h);
    memcpy(p_b, u_b.p, sizeof u.p);
    memcpy(q_b, u_b.q, sizeof u.q);
    return 0;
}
