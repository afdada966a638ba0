#include <string.h>
void f(double *v, const double *x) { memcpy(v, x, 12); }
