double f(double *x) { double y = x; return y; }
