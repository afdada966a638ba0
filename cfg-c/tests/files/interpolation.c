//@ bilinear {"nx":3,"ny":3,"x":[0.0,1.0,2.0],"y":[0.0,0.5,1.5],"f":[[1.0,2.0,3.0],[0.5,1.5,2.5],[4.0,1.0,0.25]],"p":1.25,"q":0.75}
static int find(int n, const double *x, double p)
{
    const double *lo = x, *hi = x + n - 1;
    while (hi - lo > 1) {
        const double *m = lo + (hi - lo) / 2;
        if (*m > p) hi = m; else lo = m;
    }
    return (int) (lo - x);
}
double bilinear(int nx, int ny, const double *x, const double *y, const double f[nx][ny], double p, double q)
{
    int i = find(nx, x, p), j = find(ny, y, q);
    double s = (p - x[i]) / (x[i + 1] - x[i]), t = (q - y[j]) / (y[j + 1] - y[j]);
    const double *a = f[i], *b = f[i + 1];
    return (1 - s) * ((1 - t) * a[j] + t * a[j + 1]) + s * ((1 - t) * b[j] + t * b[j + 1]);
}
