#include <stdlib.h>
static void done(double *p) { free(p); }
double f(int n) { double *w = malloc(n * sizeof *w); w[0] = n; double s = w[0]; done(w); return s; }
