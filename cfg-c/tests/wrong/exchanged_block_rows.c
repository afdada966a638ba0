double f(int n, double *x)
{
    double *a[3], *t;
    for (int i = 0; i < 3; i++) a[i] = x + i * n;
    t = a[0];
    a[0] = a[1];
    a[1] = t;
    return a[0][0] - a[1][0] * a[2][0];
}
