#include <string.h>
double f(double *x) { memset(x, 1, 8 * sizeof *x); return *x; }
