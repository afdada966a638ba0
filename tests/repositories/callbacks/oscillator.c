#include "rebound.h"
void oscillator(struct reb_ode *const ode, double *const yDot, const double *const y, const double t)
{
    yDot[0] = y[1];
    yDot[1] = -1.3 * y[0] + 0.1 * t;
}
