//@ conditions {"n":4,"x":[1.5,2.5,0.5,0.25]}
//@ conditions {"n":2,"x":[-1.5,2.5]}
//@ subscripts {"n":4,"x":[1.5,2.5,0.5,0.25]}
//@ lazy {"n":3,"x":[1.5,2.5,0.5]}
//@ lazy {"n":3,"x":[-1.5,2.5,0.5]}
//@ chained {"x":[1.5,2.5,0.5]}
//@ calls {"x":[1.5,2.5,0.5]}
double conditions(int n, const double *x)
{
    double s = 0, t;
    int i = 0;
    while (i < n && (t = x[i++]) > 0) s += t * t;
    if ((t = s) > 3 && i--) s += t * i;
    do s *= 0.5; while (s > 1 && ++i < 8);
    for (int k = n; k-- && (s += x[k]) < 100; ) s = s * 1.25 + k;
    return s + i;
}
double subscripts(int n, const double *x)
{
    double a[8], s = 0;
    int k = 0, m = 0;
    while (m < n) a[k++] = x[m++] * 2;
    a[k] = k + 1.0 > 3 ? 1.5 : 2.5;
    k++;
    while (k--) s = s * 0.5 + a[k];
    a[m -= 2] = s;
    s = a[m++];
    return s * a[m] + m;
}
static int count;
static double next(double x) { count++; return x * count; }
double lazy(int n, const double *x)
{
    count = 0;
    double s = x[0] > 0 && next(x[0]) > 1 ? next(x[1]) : next(x[2]) + 1;
    s += x[1] < 0 || next(x[1]) > 2;
    s += (x[2] > 0 ? next(s) : -s) * n;
    return s * count;
}
double chained(const double *x)
{
    double a, b, c[3];
    a = b = c[1] = x[0] * x[1];
    c[0] = c[2] = a += b *= x[2];
    return a + b * c[0] - c[1] * c[2];
}
static double twice(double *p) { *p *= 2; return *p; }
double calls(const double *x)
{
    double a = x[0], b;
    b = twice(&a);
    b = b + a;
    if (twice(&b) > 1 && twice(&a) > 1) b += a;
    return (a += 1, b *= a, b + x[2]);
}
