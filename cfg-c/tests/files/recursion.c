//@ power {"x":1.5,"n":5}
//@ simpson {"a":0.25,"b":1.5}
//@ ackermann_like {"n":3,"x":[1.5,2.5,0.5]}
//@ determinant {"n":3,"a":[2.0,0.5,1.0,1.5,3.0,0.25,0.75,1.25,4.0]}
#include <math.h>
double power(double x, int n)
{
    if (n == 0) return 1;
    double h = power(x, n / 2);
    return n % 2 ? h * h * x : h * h;
}
static double f(double x) { return exp(-x) * sin(3 * x); }
static double adapt(double a, double b, double fa, double fm, double fb, int depth)
{
    double m = 0.5 * (a + b), fl = f(0.5 * (a + m)), fr = f(0.5 * (m + b));
    double one = (b - a) / 6 * (fa + 4 * fm + fb), two = (b - a) / 12 * (fa + 4 * fl + 2 * fm + 4 * fr + fb);
    if (depth == 0 || fabs(two - one) < 1e-4) return two + (two - one) / 15;
    return adapt(a, m, fa, fl, fm, depth - 1) + adapt(m, b, fm, fr, fb, depth - 1);
}
double simpson(double a, double b) { return adapt(a, b, f(a), f(0.5 * (a + b)), f(b), 6); }
static double odd(int n, const double *x);
static double even(int n, const double *x) { return n == 0 ? 1 : x[n - 1] + odd(n - 1, x); }
static double odd(int n, const double *x) { return n == 0 ? 2 : x[n - 1] * even(n - 1, x); }
double ackermann_like(int n, const double *x) { return even(n, x) * odd(n, x); }
double determinant(int n, const double *a)
{
    if (n == 1) return a[0];
    double s = 0, b[16];
    for (int c = 0; c < n; c++) {
        int k = 0;
        for (int i = 1; i < n; i++) for (int j = 0; j < n; j++) if (j != c) b[k++] = a[i * n + j];
        double d = determinant(n - 1, b);
        s += (c % 2 ? -1 : 1) * a[c] * d;
    }
    return s;
}
