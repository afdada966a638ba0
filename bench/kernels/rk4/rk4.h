#include "../room.h"

double rk4(int steps, double h, const double *p, const double *u0);

/* The value; its gradient is added to p_b[4] and u0_b[2]. NaN if there is no memory. */
double rk4_grad(int steps, double h, const double *restrict p, double *restrict p_b, const double *restrict u0,
                double *restrict u0_b, struct room *room);
