/* Written by cfgrev. */

#include <math.h>
#include "cfgrev_tape.h"

#ifndef CFGREV_program_globals_IS_DECLARED
#define CFGREV_program_globals_IS_DECLARED
struct program_globals {
    double scale;
};
#endif

#ifndef CFGREV_program_globals_IS_DEFINED
#define CFGREV_program_globals_IS_DEFINED
static struct program_globals program_globals_data = {
    2.0
};

struct program_globals *program_globals(void);

struct program_globals *program_globals(void)
{
    return &program_globals_data;
}
#endif

double norm(int64_t n, const double *restrict x, double *restrict y);

double norm(int64_t n, const double *restrict x, double *restrict y)
{
    double r = 0.0;
    for (int64_t i = 1; i <= n; ++i) {
        r += program_globals_data.scale * x[i - 1] * x[i - 1];
        y[i - 1] = y[i - 1] * r;
    }
    r = sqrt(r);
    return r;
}

