struct instruction { int op; union { double x; int k; } arg; };
double f(double x) { struct instruction code[] = {{1, {.x = 2.0}}, {2}}; return code[0].op * x; }
