#include <stdlib.h>
double f(int n)
{
    double **a = malloc(n * sizeof *a), s = 0;
    a[0] = malloc(n * sizeof **a);
    a[1] = malloc(2 * n * sizeof **a);
    a[0][0] = a[1][n] = n;
    return a[0][0] * a[1][n];
}
