double f(double x) { return x + ; }
double g(double x) { return (x; }
