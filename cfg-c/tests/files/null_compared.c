//@ moved {"n":0,"x":0.5,"a":[0.25],"b":[1.5]}
//@ moved {"n":1,"x":0.5,"a":[0.25],"b":[1.5]}
//@ moved {"n":2,"x":0.5,"a":[0.25],"b":[1.5]}
//@ locals {"n":0,"x":0.5}
//@ locals {"n":1,"x":0.5}
//@ locals {"n":2,"x":0.5}
//@ absent {"x":0.5}
/* Pointers into different arrays are equal where both are null. */
#include <stddef.h>
double moved(int n, double x, double *restrict a, double *restrict b)
{
    double *p = a, *q = b;
    a[0] *= 2 * x;
    if (n > 0) p = NULL;
    if (n > 1) q = NULL;
    if (p == q) x *= 5;
    if (p != b) x *= 7;
    return x * b[0];
}
double locals(int n, double x)
{
    double u[2] = {x, 3 * x}, v[2] = {3 * x, x};
    double *p = u, *q = v;
    if (n > 0) p = NULL;
    if (n > 1) q = NULL;
    if (p != q) x *= u[1];
    return x * v[0];
}
static double given(double x, double *restrict a, double *restrict b)
{
    if (a) a[0] *= x;
    if (b) x += b[0];
    if (a == b) x *= 5;
    return x;
}
double absent(double x)
{
    double u[1] = {2 * x}, v[1] = {x * x};
    double s = given(x, NULL, NULL) + given(x, u, NULL) * 2;
    s += given(x, NULL, v) * 3;
    s += given(x, u, v);
    return s * u[0];
}
