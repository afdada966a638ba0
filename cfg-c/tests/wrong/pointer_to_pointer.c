double f(double ***a) { return a[0][1][0]; }
