static double g(double a, double b) { return a * b; }
double f(double x) { return g(x); }
