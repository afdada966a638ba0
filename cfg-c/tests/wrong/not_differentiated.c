#pragma cfgrev no-diff(a, q, b)
double f(double *a, double x)
{
    double b[2] = {x, x};
    a[0] = x;
    return a[0] * b[1];
}
