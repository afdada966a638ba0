struct S;
double f(struct S *s) { return s->x; }
