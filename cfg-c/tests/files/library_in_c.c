//@ periodic {"n":4,"x":[[0.1,0.2,2.9],[1.4,2.2,0.3],[2.7,0.1,1.1],[0.9,1.6,2.2]],"box":3.1}
//@ split {"x":[-2.75,3.5,0.125,-0.5]}
//@ scaled {"n":3,"x":[0.7,1e-200,-35.25]}
//@ reduced {"x":7.3,"y":0.85}
//@ halves {"x":[0.53,1.4,2.2,-0.7,-1.1,-2.3]}
//@ rounded_floats {"x":[0.7,-1.9],"s":2.25}
//@ indexed {"n":5,"t":2.6,"table":[0.3,0.9,0.2,0.5,0.8]}
//@ balanced {"a":[[4.0,1e-3],[2e4,3.0]]}
//@ shadowed {"x":1.7}
//@ classified {"w":1.3}
/* Functions of math.h that are read in C with the file. */
#include <math.h>
#include <stdbool.h>

/* Energy of particles in a periodic box, by the nearest image. */
double periodic(int n, const double x[][3], double box)
{
    double e = 0.0;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            double r2 = 0.0;
            for (int k = 0; k < 3; k++) {
                double d = x[i][k] - x[j][k];
                d -= box * rint(d / box);
                r2 += d * d;
            }
            e += 1.0 / (r2 * r2 * r2) - 1.0 / r2;
        }
    return e;
}

double split(const double x[4])
{
    double whole, s = 0.0;
    for (int i = 0; i < 4; i++) {
        double part = modf(x[i], &whole);
        s += part * part * (i + 1) + whole;
    }
    return s;
}

/* A product that neither overflows nor underflows on the way. */
double scaled(int n, const double *x)
{
    double p = 1.0;
    long e = 0;
    for (int i = 0; i < n; i++) {
        int k;
        p *= frexp(x[i], &k);
        e += k;
        p = scalbn(p, -ilogb(p));
    }
    return ldexp(p, 3) + log(fabs(p)) + logb(p) * p + 0.5 * (double)e;
}

double reduced(double x, double y)
{
    double a = remainder(x, y), b = remainder(-x * x, 2.0 * y);
    return a * a + 3.0 * b - sin(a * b);
}

double halves(const double x[6])
{
    double s = 0.0;
    for (int i = 0; i < 6; i++)
        s += rint(0.5 * (i - 3)) * x[i] + nearbyint(x[i] * 3.0) + (double)lrint(1.5 * i);
    return s;
}

float rounded_floats(const float x[2], float s)
{
    float whole, t = modff(x[0] * s, &whole) + rintf(x[1] * s) * x[1];
    return t + remainderf(x[0], 0.5f) * whole + ldexpf(x[1], -2);
}

/* Linear interpolation in a table, by the nearest entry. */
double indexed(int n, double t, const double *table)
{
    long k = lrint(t);
    if (k < 0)
        k = 0;
    if (k > n - 1)
        k = n - 1;
    double d = t - (double)k, slope = k + 1 < n ? table[k + 1] - table[k] : table[k] - table[k - 1];
    return isnormal(d) ? table[k] + slope * d : table[k];
}

/* Rows and columns are scaled by powers of two until they are of like size, as before eigenvalues are computed. */
double balanced(double a[2][2])
{
    bool done = false;
    while (!done) {
        done = true;
        for (int i = 0; i < 2; i++) {
            double c = fabs(a[1 - i][i]), r = fabs(a[i][1 - i]);
            int k = ilogb(r / c) / 2;
            if (k != 0 && c != 0.0 && r != 0.0) {
                done = false;
                a[1 - i][i] = scalbn(a[1 - i][i], k);
                a[i][1 - i] = scalbln(a[i][1 - i], -(long)k);
            }
        }
    }
    return a[0][0] * a[1][1] - a[0][1] * a[1][0] + a[0][1] * a[0][1];
}

/* One's own function of the name of one of the library. */
static double logb2(double x) { return log(x) / log(2.0); }
double shadowed(double x) { return logb2(x) + floor(logb2(x)) * x; }

/* Sums numbers by their kind, which for a float is another one than for the double that it was. */
double classified(double w)
{
    static const double x[] = {0.7, 1e-40, 0.0, -3e-310, -1.5, 2e-38};
    double s = 0.0;
    for (int i = 0; i < 6; i++) {
        float single = (float)x[i];
        switch (fpclassify(x[i])) {
        case FP_NORMAL: s += w * w * x[i]; break;
        case FP_SUBNORMAL: s += 0.25 * w + x[i]; break;
        case FP_ZERO: s += 3.0 * w; break;
        default: s -= 1.0;
        }
        if (fpclassify(single) == FP_SUBNORMAL)
            s += 100.0 * w + 2.0 * single;
        if (isnormal(single))
            s += 1000.0 * w + 5.0 * x[i];
    }
    return s;
}
