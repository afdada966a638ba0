double f(double **a) { double *t = a[0]; a[0] = a[1]; a[1] = t; return a[0][1]; }
