double f(double _Complex z) { return 0; }
