//@ chebyquad {"n":4,"x":[0.2,0.4,0.6,0.85]}
/* Chebyshev quadrature, from More, Garbow and Hillstrom. */
double chebyquad(int n, const double *x)
{
    double f[n], s = 0;
    for (int i = 0; i < n; i++) f[i] = 0;
    for (int j = 0; j < n; j++) {
        double t1 = 1, t2 = 2 * x[j] - 1, t = 2 * t2;
        for (int i = 0; i < n; i++) {
            f[i] += t2;
            double th = t * t2 - t1;
            t1 = t2;
            t2 = th;
        }
    }
    int even = -1;
    for (int i = 0; i < n; i++, even = -even) {
        f[i] /= n;
        if (even > 0) f[i] += 1.0 / ((i + 1) * (i + 1) - 1.0);
        s += f[i] * f[i];
    }
    return s;
}
