/* y'[0] = x[0], y'[i] = x[i] y[i - 1]. */
static void slope(int n, const double *x, const double *y, double *dy)
{
    dy[0] = x[0];
    for (int i = 1; i < n; i++)
        dy[i] = x[i] * y[i - 1];
}

/* The last component at time 2 of the system above, from 0, by the classical Runge-Kutta method. */
double ode(int n, int steps, const double *x)
{
    const double h = 2.0 / steps;
    double y[n], z[n], k1[n], k2[n], k3[n], k4[n];
    for (int i = 0; i < n; i++)
        y[i] = 0.0;
    for (int t = 0; t < steps; t++) {
        slope(n, x, y, k1);
        for (int i = 0; i < n; i++)
            z[i] = y[i] + 0.5 * h * k1[i];
        slope(n, x, z, k2);
        for (int i = 0; i < n; i++)
            z[i] = y[i] + 0.5 * h * k2[i];
        slope(n, x, z, k3);
        for (int i = 0; i < n; i++)
            z[i] = y[i] + h * k3[i];
        slope(n, x, z, k4);
        for (int i = 0; i < n; i++)
            y[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
    }
    return y[n - 1];
}
