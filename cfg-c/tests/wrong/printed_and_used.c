#include <stdio.h>
#include <stdlib.h>
static void die(const char *why) { if (why[0] != '!') puts(why); exit(1); }
double f(double x) { if (x < 0) die("x is negative"); return x; }
