#ifndef SIZE
#error define SIZE
#endif
double f(double x) { return x; }
