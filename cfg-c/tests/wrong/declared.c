double g(double x, int k);
void h(const double *a, double *b, int n);
double f(double x, double *a) { h(a, a, 2); return g(x, 2); }
