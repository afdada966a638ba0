#include <stdio.h>
#include <string.h>
static void write(char *to, double x) { sprintf(to, "%g", x); }
static int first(const char *of) { return of[0] == '1'; }
double f(double x)
{
    char text[40], *other = text;
    write(other, x);
    return first(text) ? x : 2 * x;
}
