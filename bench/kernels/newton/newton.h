double newton(int n, const double *a, double b);

/* The value; its gradient is added to a_b and *b_b. */
double newton_grad(int n, const double *restrict a, double *restrict a_b, double b, double *restrict b_b);
