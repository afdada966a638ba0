#include <string.h>
double f(double *x, const float *y) { memcpy(x, y, 4 * sizeof *x); return *x; }
