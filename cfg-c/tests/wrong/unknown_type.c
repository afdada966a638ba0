double f(vector x) { return 0; }
