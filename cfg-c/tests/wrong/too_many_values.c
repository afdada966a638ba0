double f(double x) { double a[2] = {x, 1, 2}; return a[0]; }
