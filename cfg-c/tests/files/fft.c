//@ spectrum {"n":4,"re":[1.0,2.0,0.5,-1.0],"im":[0.25,0.0,1.5,0.75]}
/* A fast Fourier transform in place, with bit reversal. */
#include <math.h>
static void fft(unsigned n, double *re, double *im)
{
    for (unsigned i = 1, j = 0; i < n; i++) {
        unsigned bit = n >> 1;
        for (; j & bit; bit >>= 1) j ^= bit;
        j ^= bit;
        if (i < j) {
            double t = re[i]; re[i] = re[j]; re[j] = t;
            t = im[i]; im[i] = im[j]; im[j] = t;
        }
    }
    for (unsigned len = 2; len <= n; len <<= 1) {
        double angle = -2 * 3.14159265358979323846 / len;
        for (unsigned i = 0; i < n; i += len)
            for (unsigned k = 0; k < len / 2; k++) {
                double c = cos(angle * k), s = sin(angle * k);
                double *a = &re[i + k], *b = &im[i + k], *p = a + len / 2, *q = b + len / 2;
                double u = *p * c - *q * s, v = *p * s + *q * c;
                *p = *a - u, *q = *b - v;
                *a += u, *b += v;
            }
    }
}
double spectrum(unsigned n, double *re, double *im)
{
    double s = 0;
    fft(n, re, im);
    for (unsigned i = 0; i < n; i++) s += (i + 1) * (re[i] * re[i] + im[i] * im[i]) + re[i];
    return s;
}
