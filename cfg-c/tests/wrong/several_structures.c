struct M { int n; double *data; };
double f(int n, double *x, double *y)
{
    struct M a = {n, x}, b = {n, y}, *p = &a;
    if (n > 2) p = &b;
    return p->data[0];
}
