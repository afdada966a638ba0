struct instruction { int op; union { double x; long k; } arg; };
double f(double x) { struct instruction code[] = {{1, {.x = 2.0}}, {2}}; return code[0].op * code[1].arg.k * x; }
