double helmholtz(int m, int n, double t, const double *a, const double *b, const double *x);

/* The value; its gradient is added to *t_b and x_b. */
double helmholtz_grad(int m, int n, double t, double *restrict t_b, const double *restrict a, const double *restrict b,
                      const double *restrict x, double *restrict x_b);
