double mixture(int n, int d, int m, const double *alpha, const double *mu, const double *q, const double *l,
               const double *x);

/* The value; its gradient is added to alpha_b, mu_b, q_b and l_b. */
double mixture_grad(int n, int d, int m, const double *restrict alpha, double *restrict alpha_b,
                    const double *restrict mu, double *restrict mu_b, const double *restrict q, double *restrict q_b,
                    const double *restrict l, double *restrict l_b, const double *restrict x);
