#include <stdlib.h>
void f(double *p) { free(p); }
