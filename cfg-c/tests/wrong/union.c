union U { int i; double d; };
double f(union U u) { u.i = 3; return u.d; }
