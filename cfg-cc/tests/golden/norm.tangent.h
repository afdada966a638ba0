/* Derivatives of norm, written by cfgrev. */

#include "cfgrev_tape.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef CFGREV_norm_globals_IS_DECLARED
#define CFGREV_norm_globals_IS_DECLARED
struct norm_globals {
    double scale;
};
#endif

struct norm_globals *norm_globals(void);

#ifndef CFGREV_norm_globals_t_IS_DECLARED
#define CFGREV_norm_globals_t_IS_DECLARED
struct norm_globals_t {
    double scale_t;
};
#endif

/* norm and its tangent. Writes y, y_t, norm_value, norm_value_t. May be null: norm_value,
   norm_globals_t_2, tape. */
int norm_t(int64_t n, const double *x, const double *x_t, double *y, double *y_t,
        double *norm_value, double *norm_value_t, struct norm_globals_t *norm_globals_t_2,
        struct cfgrev_tape *tape);

#ifdef __cplusplus
}
#endif
