void cholesky(int n, const double *restrict a, const double *restrict b, double *restrict l, double *restrict f);

/* Factor and value; the gradient is added to a_b and b_b. l_b is n*n of memory to work in. */
void cholesky_grad(int n, const double *restrict a, double *restrict a_b, const double *restrict b,
                   double *restrict b_b, double *restrict l, double *restrict l_b, double *restrict f);
