/* Half the sum of squares of sign(t) less the polynomial with coefficients x, at n places t from -1 to 1. */
double llsq(int n, int m, const double *x)
{
    double cost = 0.0;
    for (int i = 0; i < n; i++) {
        const double t = -1.0 + 2.0 * i / (n - 1);
        double power = 1.0;
        double r = t > 0.0 ? 1.0 : t < 0.0 ? -1.0 : 0.0;
        for (int j = 0; j < m; j++) {
            r -= x[j] * power;
            power *= t;
        }
        cost += r * r;
    }
    return 0.5 * cost;
}
