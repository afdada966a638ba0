double f(const double *x) { x[0] = 1; return x[0]; }
