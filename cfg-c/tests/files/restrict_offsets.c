//@ offsets {"n":4,"a":[0.1,-0.2,0.3,0.4,0.5,-0.6,0.7,0.8]}
/* Parts of one array that do not meet: restrict is right about them. */
static void axpy(int n, double alpha, double *restrict y, const double *restrict x)
{
    for (int i = 0; i < n; i++)
        y[i] += alpha * x[i] * x[i];
}
static void both(int n, double *restrict lower, double *restrict upper)
{
    axpy(n, 0.5, lower, upper);
    axpy(n, 0.25, upper, lower);
}
double offsets(int n, double *a)
{
    axpy(n, 2.0, a, a + n);
    double *middle = a + n / 2;
    both(n / 2, a, middle);
    double s = 0;
    for (int i = 0; i < 2 * n; i++)
        s += a[i] * a[i];
    return s;
}
