//@ polynomial {"n":4,"x":[1,2,3,4],"v":0.5}
//@ smoothed {"n":6,"m":3,"x":[1,2,0.5,4,1,0.25,3,1,2,0.5,1,1.5,2,1,1,0.5,3,2]}
//@ scaled {"n":4,"x":[1,2,0.5,1.5]}
//@ differences {"n":5,"x":[1,3,2,5,4],"lag":2}
/* Functions that are given a pointer into the middle or to the end of an array, and go back from there. */

static double horner(const double *end, int n, double v)
{
    double s = 0;
    while (n--)
        s = s * v + *--end;
    return s;
}

static double weighted(const double *end, int n)
{
    double s = 0;
    end -= n;
    for (int i = 0; i < n; i++)
        s += end[i] * i;
    return s;
}

double polynomial(int n, const double *x, double v)
{
    const double *half = x + n / 2;
    return horner(x + n, n, v) * horner(half, n / 2, v) + weighted(&x[n], n);
}

/* The neighbours in a row and in the rows before and behind. */
static double around(const double *u, int stride)
{
    return u[-1] + u[1] + u[-stride] + u[stride] - 4 * *u;
}

static double above(const double *u, int stride) { return *(u - stride) - u[0]; }

static double both(const double *u, int stride) { return around(u, stride) * above(u, stride); }

double smoothed(int n, int m, const double *x)
{
    double s = 0;
    for (int i = 1; i < m - 1; i++)
        for (int j = 1; j < n - 1; j++)
            s += both(x + i * n + j, n) + above(&x[i * n + j], n);
    return s;
}

static void times(double *u, int n)
{
    for (int i = 1; i <= n; i++) {
        if (u[-i] > 5)
            return;
        u[-i] *= *u;
    }
}

static void times_all(double *u, int n)
{
    for (double *p = u - n; p < u; p++)
        *p *= u[0];
}

double scaled(int n, double *x)
{
    times(x + 3, 2);
    times(x + 2, n - 2);
    times_all(x + n - 1, n - 1);
    return x[0] * x[1] + x[2];
}

/* Called with the beginning of an array, too, which takes no element before. */
static double difference(const double *u, int lag, int first) { return first ? *u : *u - u[-lag] * *(u - 1); }

double differences(int n, const double *x, int lag)
{
    double s = difference(x, lag, 1);
    for (int i = lag; i < n; i++)
        s = 0.5 * s + difference(x + i, lag, 0) * difference(&x[i], 1, 0);
    return s;
}
