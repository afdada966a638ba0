double kmeans(int n, int d, int k, const double *c, const double *x);

/* The value; its gradient is added to c_b. */
double kmeans_grad(int n, int d, int k, const double *restrict c, double *restrict c_b, const double *restrict x);
