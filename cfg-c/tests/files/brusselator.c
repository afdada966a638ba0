//@ brusselator {"a":1.0,"b":2.5,"y0":[1.2,0.8],"tend":1.0} --independent a,b,y0
static void rhs(const double *restrict y, double a, double b, double *restrict f)
{
    f[0] = a + y[0] * y[0] * y[1] - (b + 1) * y[0];
    f[1] = b * y[0] - y[0] * y[0] * y[1];
}
double brusselator(double a, double b, const double y0[2], double tend)
{
    double y[2] = { y0[0], y0[1] }, k1[2], k2[2], mid[2];
    const double h = 0.05;
    for (double t = 0; t < tend; t += h) {
        rhs(y, a, b, k1);
        for (int i = 0; i < 2; i++)
            mid[i] = y[i] + 0.5 * h * k1[i];
        rhs(mid, a, b, k2);
        for (int i = 0; i < 2; i++)
            y[i] += h * k2[i];
    }
    return y[0] * y[0] + y[1];
}
