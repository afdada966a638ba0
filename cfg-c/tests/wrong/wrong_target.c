double f(double x) { x + 1 = 2; return x; }
