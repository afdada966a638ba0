double g(double);
double f(double x) { return g(x); }
