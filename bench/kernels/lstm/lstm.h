#include "../room.h"

double lstm(int steps, int d, int h, const double *w, const double *u, const double *bias, const double *v,
            const double *x, const double *y);

/* The value; its gradient is added to w_b, u_b, bias_b and v_b. NaN if there is no memory. */
double lstm_grad(int steps, int d, int h, const double *restrict w, double *restrict w_b, const double *restrict u,
                 double *restrict u_b, const double *restrict bias, double *restrict bias_b, const double *restrict v,
                 double *restrict v_b, const double *restrict x, const double *restrict y, struct room *room);
