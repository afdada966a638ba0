double g(double); double f(double x) { g(x); return x + ; }
double g(double x) { return (x; }
