double f(int _Complex z) { return z; }
