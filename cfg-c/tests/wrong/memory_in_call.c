#include <stdlib.h>
static double g(double *p) { return p[0]; }
double f(int n) { return g(malloc(n * sizeof(double))); }
