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

#ifndef CFGREV_norm_globals_b_IS_DECLARED
#define CFGREV_norm_globals_b_IS_DECLARED
struct norm_globals_b {
    double scale_b;
};
#endif

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

#ifdef __cplusplus
}
#endif
