double f(double x) { break; return x; }
