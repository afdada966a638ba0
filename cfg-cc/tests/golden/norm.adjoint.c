/* Derivatives of norm, written by cfgrev. */

#include <math.h>
#include "cfgrev_tape.h"

#ifndef CFGREV_norm_globals_IS_DECLARED
#define CFGREV_norm_globals_IS_DECLARED
struct norm_globals {
    double scale;
};
#endif

#ifndef CFGREV_norm_globals_IS_DEFINED
#define CFGREV_norm_globals_IS_DEFINED
static struct norm_globals norm_globals_data = {
    2.0
};

struct norm_globals *norm_globals(void);

struct norm_globals *norm_globals(void)
{
    return &norm_globals_data;
}
#endif

#ifndef CFGREV_norm_globals_b_IS_DECLARED
#define CFGREV_norm_globals_b_IS_DECLARED
struct norm_globals_b {
    double scale_b;
};
#endif

static struct norm_globals_b norm_globals_b_data = {
    0.0
};

/* The forward sweep of norm. Writes y, norm_value. May be null: norm_value. */
int norm_fwd(int64_t n, const double *x, double *y, double *norm_value, struct cfgrev_tape *tape);
/* The reverse sweep of norm, for the last forward sweep on the tape. Adds to x_b. Turns adjoints at
   exit into those at entry: y_b. May be null: norm_globals_b_2. */
int norm_rev(int64_t n, const double *x, double *x_b, double *y, double *y_b, double norm_b,
        struct norm_globals_b *norm_globals_b_2, struct cfgrev_tape *tape);
/* norm and its gradient. Adds to x_b. Turns adjoints at exit into those at entry: y_b. Writes y,
   norm_value. May be null: norm_value, norm_globals_b_2, tape. */
int norm_grad(int64_t n, const double *x, double *x_b, double *y, double *y_b, double *norm_value,
        double norm_b, struct norm_globals_b *norm_globals_b_2, struct cfgrev_tape *tape);

/* reverse of norm */
static void norm_rev_body(int64_t n, const double *restrict x, double *restrict y,
        double *restrict r, double *restrict x_b, double *restrict y_b, double *restrict r_b,
        struct cfgrev_tape *tape)
{
    double r_here = *r;
    double r_b_here = *r_b;
    struct cfgrev_top top = tape->top;
    double t1 = r_here;
    r_here = cfgrev_pop_real(&top);
    r_b_here = cfgrev_strong(r_b_here, 0.5 / t1);
    for (int64_t i = n; i >= 1; --i) {
        y[i - 1] = cfgrev_pop_real(&top);
        r_b_here += y_b[i - 1] * y[i - 1];
        y_b[i - 1] = y_b[i - 1] * r_here;
        r_here = cfgrev_pop_real(&top);
        t1 = norm_globals_data.scale * x[i - 1];
        double b1 = r_b_here * x[i - 1];
        norm_globals_b_data.scale_b += b1 * x[i - 1];
        x_b[i - 1] = x_b[i - 1] + b1 * norm_globals_data.scale + r_b_here * t1;
    }
    r_b_here = 0.0;
    *r_b = r_b_here;
    *r = r_here;
    tape->top = top;
}

/* forward of norm */
static int norm_fwd_body(int64_t n, const double *restrict x, double *restrict y,
        double *restrict r, struct cfgrev_tape *tape)
{
    double r_here = 0.0;
    struct cfgrev_top top = tape->top;
    r_here = 0.0;
    if (cfgrev_room_real(&top, tape, n*2))
        return 1;
    for (int64_t i = 1; i <= n; ++i) {
        cfgrev_push_real(&top, r_here);
        r_here += norm_globals_data.scale * x[i - 1] * x[i - 1];
        cfgrev_push_real(&top, y[i - 1]);
        y[i - 1] = y[i - 1] * r_here;
    }
    if (cfgrev_room_real(&top, tape, 1))
        return 1;
    cfgrev_push_real(&top, r_here);
    r_here = sqrt(r_here);
    *r = r_here;
    tape->top = top;
    return 0;
}

/* gradient of norm */
static int norm_grad_body(int64_t n, const double *restrict x, double *restrict y,
        double *restrict r, double *restrict x_b, double *restrict y_b, double *restrict r_b,
        struct cfgrev_tape *memory)
{
    struct cfgrev_tape *const tape = memory;
    const struct cfgrev_level level = cfgrev_level_of(tape);
    struct cfgrev_tape *const results = cfgrev_inner(memory, 1);
    if (!results)
        return 1;
    const struct cfgrev_level level_2 = cfgrev_level_of(results);
    struct cfgrev_top top = results->top;
    int status = norm_fwd_body(n, x, y, r, tape);
    if (status)
        return status;
    if (cfgrev_room_real(&top, results, n))
        return 1;
    for (int64_t k = 0; k < n; ++k)
        cfgrev_push_real(&top, y[k]);
    if (cfgrev_room_real(&top, results, 1))
        return 1;
    cfgrev_push_real(&top, *r);
    norm_rev_body(n, x, y, r, x_b, y_b, r_b, tape);
    *r = cfgrev_pop_real(&top);
    for (int64_t k = n - 1; k >= 0; --k)
        y[k] = cfgrev_pop_real(&top);
    results->top = top;
    cfgrev_cut(results, level_2);
    cfgrev_cut(tape, level);
    return 0;
}

int norm_fwd(int64_t n, const double *x, double *y, double *norm_value, struct cfgrev_tape *tape)
{
    const struct cfgrev_state state = cfgrev_begin(tape);
    int status = 0;
    double value_kept = 0.0;
    double *const value_at = norm_value ? norm_value : &value_kept;
    status = norm_fwd_body(n, x, y, value_at, tape);
    if (!status && cfgrev_room_real(&tape->top, tape, 1))
        status = 1;
    if (!status)
        cfgrev_push_real(&tape->top, *value_at);
    return cfgrev_end(tape, &state, status);
}

int norm_rev(int64_t n, const double *x, double *x_b, double *y, double *y_b, double norm_b,
        struct norm_globals_b *norm_globals_b_2, struct cfgrev_tape *tape)
{
    double value = 0.0;
    value = cfgrev_pop_real(&tape->top);
    norm_globals_b_data = norm_globals_b_2 ? *norm_globals_b_2 : (struct norm_globals_b){0};
    norm_rev_body(n, x, y, &value, x_b, y_b, &norm_b, tape);
    if (norm_globals_b_2)
        *norm_globals_b_2 = norm_globals_b_data;
    tape->message = "";
    return 0;
}

int norm_grad(int64_t n, const double *x, double *x_b, double *y, double *y_b, double *norm_value,
        double norm_b, struct norm_globals_b *norm_globals_b_2, struct cfgrev_tape *tape)
{
    struct cfgrev_tape own;
    if (!tape)
        own = (struct cfgrev_tape){0};
    struct cfgrev_tape *const used = tape ? tape : &own;
    const struct cfgrev_state state = cfgrev_begin(used);
    int status = 0;
    double value_kept = 0.0;
    double *const value_at = norm_value ? norm_value : &value_kept;
    norm_globals_b_data = norm_globals_b_2 ? *norm_globals_b_2 : (struct norm_globals_b){0};
    status = norm_grad_body(n, x, y, value_at, x_b, y_b, &norm_b, used);
    if (norm_globals_b_2)
        *norm_globals_b_2 = norm_globals_b_data;
    status = cfgrev_end(used, &state, status);
    if (!tape)
        cfgrev_tape_free(&own);
    return status;
}

