static void g(double **p) { }
double f(double *x) { g(&x); return *x; }
