struct S;
double f(struct S *s) { return 0; }
