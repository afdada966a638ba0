double f(int n, ...) { return n; }
