struct M { int n; double *data; };
static double g(struct M *m, int k) { return k ? g(m, k - 1) : m->data[0]; }
double f(int n, double *x) { struct M m = {n, x}; return g(&m, 3); }
