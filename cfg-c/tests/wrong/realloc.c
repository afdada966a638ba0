#include <stdlib.h>
double f(int n) { double *w = malloc(n * sizeof *w); w = realloc(w, 2 * n * sizeof *w); return w[0]; }
