/* Derivatives of heron, written by cfgrev. */

#include <math.h>
#include "cfgrev_tape.h"

/* heron and its tangent. Writes s, s_t. May be null: tape. */
int heron_t(int64_t n, const double *a, const double *a_t, double *s, double *s_t,
        struct cfgrev_tape *tape);

/* tangent of heron */
static int heron_t_body(int64_t n, const double *restrict a, double *restrict s,
        const double *restrict a_t, double *restrict s_t, struct cfgrev_tape *memory)
{
    double s_here = 0.0;
    double s_t_here = 0.0;
    const struct cfgrev_mark entry = cfgrev_mark_of(&memory->work);
    double *const w = cfgrev_allocate(&memory->work, n, sizeof *w);
    if (!w)
        return 1;
    double *const w_t = cfgrev_allocate(&memory->work, n, sizeof *w_t);
    if (!w_t)
        return 1;
    s_t_here = 0.0;
    s_here = 0.0;
    for (int64_t k = 0; k < n; ++k)
        w_t[k] = a_t[k] * 2.0;
    for (int64_t k = 0; k < n; ++k)
        w[k] = 2.0 * a[k];
    for (int64_t i = 1; i <= n; ++i) {
        if (a[i - 1] > 0.0) {
            double x_t = a_t[i - 1];
            double x = a[i - 1];
            while (fabs(x * x - a[i - 1]) > 1e-12) {
                double d1 = cfgrev_strong(a_t[i - 1], 1.0 / x)
                        + cfgrev_strong(x_t, -(a[i - 1] / x / x));
                x_t = (x_t + d1) * (1.0 / 2.0);
                x = (x + a[i - 1] / x) / 2.0;
            }
            s_t_here += x_t * w[i - 1] + w_t[i - 1] * x;
            s_here += x * w[i - 1];
        }
    }
    *s_t = s_t_here;
    *s = s_here;
    cfgrev_release(&memory->work, entry);
    return 0;
}

int heron_t(int64_t n, const double *a, const double *a_t, double *s, double *s_t,
        struct cfgrev_tape *tape)
{
    struct cfgrev_tape own;
    if (!tape)
        own = (struct cfgrev_tape){0};
    struct cfgrev_tape *const used = tape ? tape : &own;
    const struct cfgrev_state state = cfgrev_begin(used);
    int status = 0;
    status = heron_t_body(n, a, s, a_t, s_t, used);
    status = cfgrev_end(used, &state, status);
    if (!tape)
        cfgrev_tape_free(&own);
    return status;
}

