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

#ifndef CFGREV_norm_globals_t_IS_DECLARED
#define CFGREV_norm_globals_t_IS_DECLARED
struct norm_globals_t {
    double scale_t;
};
#endif

static struct norm_globals_t norm_globals_t_data = {
    0.0
};

/* norm and its tangent. Writes y, y_t, norm_value, norm_value_t. May be null: norm_value,
   norm_globals_t_2, tape. */
int norm_t(int64_t n, const double *x, const double *x_t, double *y, double *y_t,
        double *norm_value, double *norm_value_t, struct norm_globals_t *norm_globals_t_2,
        struct cfgrev_tape *tape);

/* tangent of norm */
static void norm_t_body(int64_t n, const double *restrict x, double *restrict y, double *restrict r,
        const double *restrict x_t, double *restrict y_t, double *restrict r_t)
{
    double r_here = 0.0;
    double r_t_here = 0.0;
    r_t_here = 0.0;
    r_here = 0.0;
    for (int64_t i = 1; i <= n; ++i) {
        double t1 = norm_globals_data.scale * x[i - 1];
        r_t_here += (norm_globals_t_data.scale_t * x[i - 1] + x_t[i - 1] * norm_globals_data.scale)
                * x[i - 1] + x_t[i - 1] * t1;
        r_here += norm_globals_data.scale * x[i - 1] * x[i - 1];
        y_t[i - 1] = y_t[i - 1] * r_here + r_t_here * y[i - 1];
        y[i - 1] = y[i - 1] * r_here;
    }
    r_t_here = cfgrev_strong(r_t_here, 0.5 / sqrt(r_here));
    r_here = sqrt(r_here);
    *r_t = r_t_here;
    *r = r_here;
}

int norm_t(int64_t n, const double *x, const double *x_t, double *y, double *y_t,
        double *norm_value, double *norm_value_t, struct norm_globals_t *norm_globals_t_2,
        struct cfgrev_tape *tape)
{
    double value_kept = 0.0;
    double *const value_at = norm_value ? norm_value : &value_kept;
    norm_globals_t_data = norm_globals_t_2 ? *norm_globals_t_2 : (struct norm_globals_t){0};
    norm_t_body(n, x, y, value_at, x_t, y_t, norm_value_t);
    if (norm_globals_t_2)
        *norm_globals_t_2 = norm_globals_t_data;
    if (tape)
        tape->message = "";
    return 0;
}

