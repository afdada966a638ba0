struct S { unsigned long a : 40; double x; };
double f(struct S s) { return s.x + s.a; }
