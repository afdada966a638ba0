int f(const double *x, const double *y) { return x < y; }
