#include <stdlib.h>
double f(double x) { if (x < 0) exit(1); return x; }
