//@ truncated {"x":[1.75,-2.5,300.25]}
//@ implicit {"n":3,"x":[1.75,-2.5,3.25]}
double truncated(const double *x)
{
    int i = (int) x[0], j = x[1];
    long k = (long) (x[2] * 2);
    unsigned char c = (unsigned char) (int) x[2];
    return i * x[0] + j * x[1] + k + c + (float) 0.1 * (x[0] - (int) x[0]);
}
static double half(int n) { return n / 2; }
static int round_down(double x) { return x; }
double implicit(int n, const double *x)
{
    double s = half(3.9) + round_down(x[0]) * x[0];
    int k = 2.5 + n;
    s += k;
    k *= 1.5;
    k += x[2];
    return s * k + (n > 2.5) + 'a' * x[1];
}
