struct item { int kind; union { double number; long whole; }; };
double f(struct item *i) { return i->kind ? i->number : i->whole; }
