double f(double x) { double *p; return x + *p; }
