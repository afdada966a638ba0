double f(double _Complex z) { return z; }
