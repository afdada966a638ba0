//@ relaxed {"n": 3, "a": [1.0, 4.0, 2.0], "x": [0.5, 0.25, 1.0]}
//@ twice {"n": 2, "k": 1, "a": [1.5, 2.5], "x": [0.5, 1.0]}
/* Sizes that are passed by value are no variables of the file, though these change and parameters may overlap. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
static int status, level = 2;
static int solve(int n, const double *a, double *x)
{
    double w[n];
    status = n;
    for (int i = 0; i < n; i++)
        w[i] = sqrt(a[i]) + x[i];
    for (int i = 0; i < n; i++)
        x[i] = w[n - 1 - i] * w[i];
    return --status;
}
static void between(int n, const double *a, double *x)
{
    if (solve(n, a, x) == 1)
        x[0] *= 2;
}
void relaxed(int n, const double *a, double *x)
{
    between(n, a, x);
}
static void scaled(int k, int n, double *x)
{
    double *w = malloc((k + n) * sizeof *w);
    if (!w)
        return;
    level = 7;
    errno = ERANGE;
    for (int i = 0; i < k + n; i++)
        w[i] = x[i % n] * (i + 1);
    for (int i = 0; i < n; i++)
        x[i] = w[i + k] * w[i];
    free(w);
}
/* One of them is a variable of the file, which the function changes. */
void twice(int n, int k, const double *a, double *x)
{
    for (int i = 0; i < n; i++)
        x[i] += a[i] * a[i];
    scaled(level, n, x);
    scaled(k, n, x);
}
