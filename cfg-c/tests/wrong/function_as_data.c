static double g(double x) { return x; }
double f(double x) { void *p = (void *)g; double (*q)(double) = p; return q(x); }
