//@ weighted {"x": [0.5, -1.25, 2.0, 0.75], "n": 4, "p": 1.5}
//@ clenshaw {"c": [0.5, 0.25, -0.125, 1.0], "n": 4, "t": 0.3}
/* Functions whose parameters are declared behind the parentheses. */
#include <math.h>
#define SQR(x) ((x)*(x))

static double power();

double sum_of(x, n, p)
double x[], p;
int n;
{
    register int i;
    double s;
    s = 0.;
    for (i = n; i--;)
        s += SQR(x[i]) * power(fabs(x[i]), p) * (i & 1 ? 2. : 1.);
    return (s);
}

double weighted(double *x, int n, double p) { return sum_of(x, n, p); }

static double power(base, e)
    double base, e;
{
    return pow(base, e);
}

double clenshaw(const double *c, int n, double t)
{
    double b[8], recurrence(), sqrt();
    for (int k = 0; k < n; k++)
        b[k] = c[k];
    return sqrt(1. + t * t) * recurrence(b, n, t);
}

double recurrence(b, n, t)
double *b;
double t;
{
    double d = 0., dd = 0., s;
    int j;
    for (j = n - 1; j >= 1; j--) {
        s = d;
        d = 2. * t * d - dd + b[j];
        dd = s;
    }
    return t * d - dd + 0.5 * b[0];
}
