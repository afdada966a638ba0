static double *end(double *x) { return x + 1; }
double f(double *x) { double *p = end(x); return *p; }
