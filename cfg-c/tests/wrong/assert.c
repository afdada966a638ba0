#include <assert.h>
double f(double x) { assert(x > 0); return x; }
