double f(const double *x, double t) { return x[t]; }
