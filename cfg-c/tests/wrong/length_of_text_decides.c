/* The length of a text clears numbers. */
#include <stdio.h>
#include <string.h>
double f(double x)
{
    char text[8];
    double w[4] = {x, x, x, x};
    int n = sprintf(text, "%d", 12);
    memset(w, 0, n * sizeof *w);
    return w[0] + 10 * w[1] + 100 * w[2];
}
