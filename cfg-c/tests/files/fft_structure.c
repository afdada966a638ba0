//@ filtered_power {"n":8,"signal":[1,2,0.5,-1,0.3,0.7,-0.2,1.1],"cutoff":1.5}
#include <math.h>
#include <stdlib.h>
#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif
typedef struct { double re, im; } cpx;
static inline cpx cadd(cpx a, cpx b) { return (cpx){ a.re + b.re, a.im + b.im }; }
static inline cpx csub(cpx a, cpx b) { return (cpx){ a.re - b.re, a.im - b.im }; }
static inline cpx cmul(cpx a, cpx b) { cpx r; r.re = a.re * b.re - a.im * b.im; r.im = a.re * b.im + a.im * b.re; return r; }
static cpx expi(double t) { cpx r = { cos(t), sin(t) }; return r; }

static void fft(cpx *x, int n, int stride, cpx *out, int sign)
{
    if (n == 1) {
        out[0] = x[0];
        return;
    }
    fft(x, n / 2, 2 * stride, out, sign);
    fft(x + stride, n / 2, 2 * stride, out + n / 2, sign);
    for (int k = 0; k < n / 2; k++) {
        cpx t = cmul(expi(sign * 2.0 * M_PI * k / n), out[k + n / 2]);
        cpx e = out[k];
        out[k] = cadd(e, t);
        out[k + n / 2] = csub(e, t);
    }
}

/* Power above a cut-off after a filter. */
double filtered_power(int n, const double *signal, double cutoff)
{
    cpx *x = malloc(n * sizeof(cpx)), *y = malloc(sizeof(cpx) * n);
    double p = 0;
    int i;
    for (i = 0; i < n; i++) { x[i].re = signal[i]; x[i].im = 0; }
    fft(x, n, 1, y, -1);
    for (i = 0; i < n; i++) {
        double f = i <= n / 2 ? i : i - n;
        double g = 1.0 / (1.0 + exp(cutoff - fabs(f)));
        y[i].re *= g;
        y[i].im *= g;
    }
    fft(y, n, 1, x, 1);
    for (i = 0; i < n; i++)
        p += (x[i].re * x[i].re + x[i].im * x[i].im) / ((double)n * n);
    free(x);
    free(y);
    return p;
}
