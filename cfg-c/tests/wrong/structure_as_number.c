typedef struct { double x; } P;
double f(P p, double t) { return p * t; }
