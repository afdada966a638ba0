#include <stdlib.h>
double f(int n, double *x) { x = realloc(x, 2 * n * sizeof *x); return x[0]; }
