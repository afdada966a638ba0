double f(double (*g)(double), double x) { return g(x); }
