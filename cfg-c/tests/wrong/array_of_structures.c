struct M { int n; double *data; };
double f(int n, double *x) { struct M all[2] = {{n, x}, {n, x + 1}}; return all[1].data[0]; }
