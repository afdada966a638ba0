typedef struct { double x; } P;
double f(double t) { P p = {.z = t}; double a[2] = {.x = t}; return p.x + a[0]; }
