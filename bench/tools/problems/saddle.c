#include <math.h>

static double payoff(int n, const double *p, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i] - y[i] * y[i] + p[i] * sin(x[i] * y[i]);
    return sum;
}

/* y goes uphill from ones; steps that do not help are halved, others doubled. */
static void climb(int n, int trials, const double *p, const double *x, double *y)
{
    double z[n];
    double step = 0.03125;
    for (int i = 0; i < n; i++)
        y[i] = 1.0;
    double here = payoff(n, p, x, y);
    for (int k = 0; k < trials; k++) {
        for (int i = 0; i < n; i++)
            z[i] = y[i] + step * (p[i] * x[i] * cos(x[i] * y[i]) - 2.0 * y[i]);
        const double there = payoff(n, p, x, z);
        if (there > here) {
            for (int i = 0; i < n; i++)
                y[i] = z[i];
            here = there;
            step *= 2.0;
        } else {
            step *= 0.5;
        }
    }
}

/* The least payoff to x when y answers each with its best, both found by gradients. */
double saddle(int n, int descents, int trials, const double *p)
{
    double x[n], y[n];
    for (int i = 0; i < n; i++)
        x[i] = 1.0;
    for (int k = 0; k < descents; k++) {
        climb(n, trials, p, x, y);
        for (int i = 0; i < n; i++)
            x[i] -= 0.1 * (2.0 * x[i] + p[i] * y[i] * cos(x[i] * y[i]));
    }
    return payoff(n, p, x, y);
}
