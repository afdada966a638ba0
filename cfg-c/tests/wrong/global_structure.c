struct { double x; } p = {1.5};
double f(double t) { p.x *= 2; return t * p.x; }
