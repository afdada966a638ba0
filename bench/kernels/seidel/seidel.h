void seidel(int n, int sweeps, const double *restrict u0, double *restrict u, double *restrict f);

/* Last grid and value; the gradient is added to u0_b. u_b is n*n of memory to work in. */
void seidel_grad(int n, int sweeps, const double *restrict u0, double *restrict u0_b, double *restrict u,
                 double *restrict u_b, double *restrict f);
