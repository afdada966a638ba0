double f(double x) { double y = x; double y = 2; return y; }
