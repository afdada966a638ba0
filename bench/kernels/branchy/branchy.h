double branchy(int n, const double *x);

/* The value; its gradient is added to x_b. */
double branchy_grad(int n, const double *restrict x, double *restrict x_b);
