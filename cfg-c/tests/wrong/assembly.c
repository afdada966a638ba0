double f(double x) { asm("nop"); return x; }
