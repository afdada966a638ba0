#define ROOT(x) sqroot(x)
#define TWICE(x) (ROOT(x) * 2)
double f(double x) { return TWICE(x + 1); }
