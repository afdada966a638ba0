#include "../room.h"

double burgers(int n, int steps, double c, const double *u0);

/* The value; its gradient is added to *c_b and u0_b. NaN if there is no memory. */
double burgers_grad(int n, int steps, double c, double *restrict c_b, const double *restrict u0,
                    double *restrict u0_b, struct room *room);
