struct { double x; } p = {1.5};
double f(double t) { return t * p.x; }
