struct S { unsigned a : 3; double x; };
double f(struct S s) { return s.x + *&s.a; }
