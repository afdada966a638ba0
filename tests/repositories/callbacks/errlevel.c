#include "ode-initval2/cstd.c"
int errlevel(void *state, const double y, const double dydt, const double h, const size_t index, double *level)
{
    return std_control_errlevel(state, y, dydt, h, index, level);
}
