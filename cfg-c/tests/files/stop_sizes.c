//@ energy {"rows":2,"columns":3,"inner":3,"a":[1.0,-0.5,2.0,0.25,1.5,-1.0],"x":[0.5,1.0,-2.0],"w":0.75}
//! energy {"rows":2,"columns":3,"inner":2,"a":[1.0,-0.5,2.0,0.25,1.5,-1.0],"x":[0.5,1.0,-2.0],"w":0.75} 12 Assertion `columns == inner && "sizes fit"' failed.
//! energy {"rows":2,"columns":3,"inner":3,"a":[1.0,-0.5,2.0,0.25,1.5,-1.0],"x":[0.5,1.0,-2.0],"w":-0.75} 27 Assertion `w > 0.0' failed.
/* Assertions on the sizes of a product, and on what is computed. */
#include <assert.h>
#include <math.h>

static double row(int rows, int columns, int inner, const double *a, const double *x, int i)
{
    double s = 0.0;
    assert(0 <= i && i < rows);
    assert(columns == inner && "sizes fit");
    for (int j = 0; j < columns; j++)
        s += a[i * columns + j] * x[j];
    assert(s == s);
    return s;
}

double energy(int rows, int columns, int inner, const double *a, const double *x, double w)
{
    double sum = 0.0;
    int i = 0;
    do {
        double r = row(rows, columns, inner, a, x, i);
        sum += r * r;
    } while (++i < rows);
    assert(w > 0.0), assert(sum >= 0.0);
    return sqrt(sum + 1.0) / w;
}
