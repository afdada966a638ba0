double f(const double *x) { int i = 0; return x[i] + x[i++]; }
