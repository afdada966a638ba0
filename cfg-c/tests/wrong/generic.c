double f(double x)
{
    int *p = 0;
    return _Generic(p, double *: x, float: 2 * x) + _Generic(x, int: x);
}
