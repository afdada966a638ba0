#line 9223372036854775807 "g.c"
double f(double x) { return x; }
