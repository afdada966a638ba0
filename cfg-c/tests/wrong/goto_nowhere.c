double f(double x) { goto end; return x; }
