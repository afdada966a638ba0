static void g(double x) { }
double f(double x) { return x + g(x); }
