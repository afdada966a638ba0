struct M { int n; double *data; };
double f(const struct M *m) { return m->data[0]; }
