double *end(double *x);
double f(double *x) { double *p = end(x); return *p; }
