//@ impedance {"r":[10,22,4.7],"c":[1e-3,2e-3,5e-4],"n":3,"f":50}
//@ spectrum {"x":[1,-0.5,2,0.25,0.75,-1.5,0.1,3],"n":8}
//@ potential {"x":0.6,"y":0.45,"alpha":0.2}
//@ root {"a":[2.0,-1.0,3.0,1.0],"n":3}
/* An electric ladder, a transform, a flow around a cylinder, and a root of a polynomial. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
double impedance(const double *r, const double *c, int n, double f)
{
    const double w = 2 * acos(-1) * f;
    double complex z = r[n - 1] + 1 / (I * w * c[n - 1]);
    for (int k = n - 2; k >= 0; k--) {
        double complex admittance = 1 / z;
        admittance += I * w * c[k];
        z = r[k] + 1 / admittance;
    }
    return 20 * log10(cabs(z)) + carg(z);
}
static void transform(double complex *y, int n)
{
    if (n == 1)
        return;
    double complex *t = malloc(n * sizeof *t);
    for (int k = 0; k < n / 2; k++) {
        t[k] = y[2 * k];
        t[k + n / 2] = y[2 * k + 1];
    }
    transform(t, n / 2);
    transform(t + n / 2, n / 2);
    for (int k = 0; k < n / 2; k++) {
        double complex w = cexp(-2 * acos(-1) * I * k / n) * t[k + n / 2];
        y[k] = t[k] + w;
        y[k + n / 2] = t[k] - w;
    }
    free(t);
}
double spectrum(const double *x, int n)
{
    double complex y[64];
    for (int k = 0; k < n; k++)
        y[k] = x[k];
    transform(y, n);
    double s = 0;
    for (int k = 0; k < n; k++)
        s += k * creal(y[k] * conj(y[k]));
    return s;
}
struct flow {
    double complex center;
    double radius;
};
static double complex speed(struct flow f, double complex z)
{
    double complex u = z - f.center;
    return 1 - f.radius * f.radius / (u * u);
}
double potential(double x, double y, double alpha)
{
    struct flow f = {0.1 - 0.05 * I, 0.4};
    double complex z = (x + y * I) * cexp(I * alpha), v = speed(f, z);
    return creal(clog(z) * v) + cimag(csqrt(z - 2)) + cabs(cpow(v, 1.5)) + creal(ctanh(z) / csin(z) + ccos(v) * csinh(z));
}
double root(const double *a, int n)
{
    double complex z = 0.4 + 0.9 * I;
    for (int i = 0; i < 30; i++) {
        double complex p = a[n], d = 0;
        for (int k = n - 1; k >= 0; k--) {
            d = d * z + p;
            p = p * z + a[k];
        }
        if (cabs(p) < 1e-9)
            break;
        z -= p / d;
    }
    return cabs(z) + cimag(z);
}
