#include <stdlib.h>
double f(int n) { double *w = malloc(n * 6); w[0] = n; return w[0]; }
