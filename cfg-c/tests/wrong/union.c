union U { int i; double d; };
double f(union U u) { return u.d; }
