double f(double x) { volatile double y = x; return y; }
