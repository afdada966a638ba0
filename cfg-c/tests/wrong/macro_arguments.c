#define ADD(a, b) ((a) + (b))
double f(double x) { return ADD(x); }
