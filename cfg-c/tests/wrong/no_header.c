double f(double x) { return sqrt(x); }
