/* Derivatives of constant, written by cfgrev. */

#include <math.h>
#include "cfgrev_tape.h"

/* constant and its tangent. Writes constant_value, constant_value_t. May be null: tape. */
int constant_t(const double *x, const double *x_t, double *constant_value, double *constant_value_t,
        struct cfgrev_tape *tape);

/* tangent of constant */
static void constant_t_body(const double *restrict x, double *restrict r,
        const double *restrict x_t, double *restrict r_t)
{
    r_t[0] = x_t[0] * x[0] + x_t[0] * x[0];
    r_t[1] = x_t[1] * x[1] + x_t[1] * x[1];
    r_t[2] = x_t[2] * x[2] + x_t[2] * x[2];
    r[0] = x[0] * x[0];
    r[1] = x[1] * x[1];
    r[2] = x[2] * x[2];
    r_t[1] = x_t[0] * x[2] + x_t[2] * x[0];
    r[1] = x[0] * x[2];
}

int constant_t(const double *x, const double *x_t, double *constant_value, double *constant_value_t,
        struct cfgrev_tape *tape)
{
    constant_t_body(x, constant_value, x_t, constant_value_t);
    if (tape)
        tape->message = "";
    return 0;
}

