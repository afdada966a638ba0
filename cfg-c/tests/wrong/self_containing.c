struct S { double x; struct S s; };
double f(struct S s) { return s.x; }
