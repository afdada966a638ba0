#include <stdio.h>
double f(double x)
{
    char text[40];
    int n = sprintf(text, "%g", x);
    return n * x;
}
