double f(int n) { n = n * 2; double a[n]; a[0] = n; return a[0]; }
