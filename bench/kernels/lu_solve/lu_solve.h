void lu_solve(int n, const double *restrict a, const double *restrict b, double *restrict lu, double *restrict f);

/* Factors and value; the gradient is added to a_b and b_b. lu_b is n*n of memory to work in. */
void lu_solve_grad(int n, const double *restrict a, double *restrict a_b, const double *restrict b,
                   double *restrict b_b, double *restrict lu, double *restrict lu_b, double *restrict f);
