/* Derivatives of constant, written by cfgrev. */

#include <math.h>
#include "cfgrev_tape.h"

/* The forward sweep of constant. Writes constant_value. */
int constant_fwd(const double *x, double *constant_value, struct cfgrev_tape *tape);
/* The reverse sweep of constant, for the last forward sweep on the tape. Adds to x_b. Turns
   adjoints at exit into those at entry: constant_b. */
int constant_rev(const double *x, double *x_b, double *constant_value, double *constant_b,
        struct cfgrev_tape *tape);
/* constant and its gradient. Adds to x_b. Turns adjoints at exit into those at entry: constant_b.
   Writes constant_value. May be null: tape. */
int constant_grad(const double *x, double *x_b, double *constant_value, double *constant_b,
        struct cfgrev_tape *tape);

/* reverse of constant */
static void constant_rev_body(const double *restrict x, double *restrict x_b, double *restrict r_b)
{
    x_b[0] += r_b[1] * x[2];
    x_b[2] += r_b[1] * x[0];
    r_b[1] = 0.0;
    x_b[0] += 2.0 * (r_b[0] * x[0]);
    x_b[1] += 2.0 * (r_b[1] * x[1]);
    x_b[2] += 2.0 * (r_b[2] * x[2]);
    r_b[0] = 0.0;
    r_b[1] = 0.0;
    r_b[2] = 0.0;
}

/* forward of constant */
static void constant_fwd_body(const double *restrict x, double *restrict r)
{
    r[0] = x[0] * x[0];
    r[1] = x[1] * x[1];
    r[2] = x[2] * x[2];
    r[1] = x[0] * x[2];
}

/* gradient of constant */
static void constant_grad_body(const double *restrict x, double *restrict r, double *restrict x_b,
        double *restrict r_b, struct cfgrev_tape *memory)
{
    struct cfgrev_tape *const tape = memory;
    const struct cfgrev_level level = cfgrev_level_of(tape);
    constant_fwd_body(x, r);
    constant_rev_body(x, x_b, r_b);
    cfgrev_cut(tape, level);
}

int constant_fwd(const double *x, double *constant_value, struct cfgrev_tape *tape)
{
    constant_fwd_body(x, constant_value);
    tape->message = "";
    return 0;
}

int constant_rev(const double *x, double *x_b, double *constant_value, double *constant_b,
        struct cfgrev_tape *tape)
{
    (void)constant_value;
    constant_rev_body(x, x_b, constant_b);
    tape->message = "";
    return 0;
}

int constant_grad(const double *x, double *x_b, double *constant_value, double *constant_b,
        struct cfgrev_tape *tape)
{
    struct cfgrev_tape own;
    if (!tape)
        own = (struct cfgrev_tape){0};
    struct cfgrev_tape *const used = tape ? tape : &own;
    const struct cfgrev_state state = cfgrev_begin(used);
    int status = 0;
    constant_grad_body(x, constant_value, x_b, constant_b, used);
    status = cfgrev_end(used, &state, status);
    if (!tape)
        cfgrev_tape_free(&own);
    return status;
}

