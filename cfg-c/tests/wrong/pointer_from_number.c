double f(double *x) { x = 16; return *x; }
