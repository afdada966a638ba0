/* Compares the operators and functions of complex numbers that the front end has in C with those of the compiler and of
   the C library, bit for bit. */
#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#undef I
#undef HUGE

#define EACH(with)                                                                                         \
    with(cexp) with(clog) with(csqrt) with(csin) with(ccos) with(ctan) with(csinh) with(ccosh) with(ctanh) \
    with(conj) with(cproj)
#define PARTS(with) with(creal) with(cimag) with(cabs) with(carg)
#define COMPLEX_OF(name)                                            \
    double complex real_##name(double complex) __asm__(#name);     \
    float complex real_##name##f(float complex) __asm__(#name "f");
#define PART_OF(name)                                       \
    double real_##name(double complex) __asm__(#name);     \
    float real_##name##f(float complex) __asm__(#name "f");
EACH(COMPLEX_OF)
PARTS(PART_OF)
double complex real_cpow(double complex, double complex) __asm__("cpow");
float complex real_cpowf(float complex, float complex) __asm__("cpowf");

#define cexp own_cexp
#define clog own_clog
#define csqrt own_csqrt
#define csin own_csin
#define ccos own_ccos
#define ctan own_ctan
#define csinh own_csinh
#define ccosh own_ccosh
#define ctanh own_ctanh
#define conj own_conj
#define cproj own_cproj
#define creal own_creal
#define cimag own_cimag
#define cabs own_cabs
#define carg own_carg
#define cpow own_cpow
#define cexpf own_cexpf
#define clogf own_clogf
#define csqrtf own_csqrtf
#define csinf own_csinf
#define ccosf own_ccosf
#define ctanf own_ctanf
#define csinhf own_csinhf
#define ccoshf own_ccoshf
#define ctanhf own_ctanhf
#define conjf own_conjf
#define cprojf own_cprojf
#define crealf own_crealf
#define cimagf own_cimagf
#define cabsf own_cabsf
#define cargf own_cargf
#define cpowf own_cpowf
float _Complex __cfgrev_converted(double _Complex);
double _Complex __cfgrev_convertedf(float _Complex);
#include "../src/library/complex_double.h"
#include "../src/library/complex.c"
#include "../src/library/complex_float.h"
#include "../src/library/complex.c"

static int wrong, shown[64];

static uint64_t state = 88172645463325252u;

static double uniform(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state >> 11) * 0x1p-53;
}

/* Numbers of all sizes, many of them near 1, some special. */
static double number(int wide)
{
    static const double special[] = {0.0, -0.0, 1, -1, 0.5, 2, INFINITY, -INFINITY, NAN, 0x1p-1022, 0x1p-1074, 0x1.fffffffffffffp1023, 710, -720, 1500, 2200};
    double x = 2 * uniform() - 1;
    switch ((int)(uniform() * 12)) {
    case 0:
        return special[(int)(uniform() * (sizeof special / sizeof *special))];
    case 1:
        return ldexp(x, (int)(uniform() * 2 * wide) - wide);
    case 2:
        return 1 + ldexp(x, -(int)(uniform() * 60));
    case 3:
        return ldexp(x, (int)(uniform() * 12));
    default:
        return 3 * x;
    }
}

/* The same bits; one thing that is no number is like another. */
static int same(double a, double b) { return a != a ? b != b : memcmp(&a, &b, sizeof a) == 0; }

static int has_nan(double complex z) { return z != z; }
static int finite_parts(double complex z) { return isfinite(__real__ z) && isfinite(__imag__ z); }

/* What is given something infinite may be no number here. */
static void compare(int k, const char *what, double complex own, double complex real, double complex z, double complex w)
{
    double a = __real__ own, b = __imag__ own, c = __real__ real, d = __imag__ real;
    /* The sign of a thing that is no number may become that of a 0. */
    if ((has_nan(z) || has_nan(w)) && (a == c || a != a) && (b == d || b != b) && (a != a) == (c != c) && (b != b) == (d != d))
        return;
    int loose = strlen(what) > 3 && !(finite_parts(z) && finite_parts(w));
    if (((same(a, c) || (loose && a != a)) && (same(b, d) || (loose && b != b))) || shown[k]++ >= 3)
        return;
    wrong = 1;
    printf("%s(%a %a, %a %a) = %a %a, not %a %a\n", what, __real__ z, __imag__ z, __real__ w, __imag__ w, a, b, c, d);
}

int main(void)
{
    for (long n = 0; n < 1000000; n++) {
        double complex z = __builtin_complex(number(1060), number(1060)), w = __builtin_complex(number(1060), number(1060));
        double x = number(1060);
        int k = 0;
#define AGAINST(name) compare(k++, #name, own_##name(z), real_##name(z), z, w);
        EACH(AGAINST)
        PARTS(AGAINST)
        compare(k++, "cpow", own_cpow(z, w), real_cpow(z, w), z, w);
        compare(k++, "+", __cfgrev_sum(z, w), z + w, z, w);
        compare(k++, "-", __cfgrev_difference(z, w), z - w, z, w);
        compare(k++, "*", __cfgrev_product(z, w), z * w, z, w);
        compare(k++, "/", __cfgrev_quotient(z, w), z / w, z, w);
        compare(k++, "-z", __cfgrev_negative(z), -z, z, w);
        compare(k++, "==", __cfgrev_equal(z, w) + 2 * __cfgrev_equal(z, z), (z == w) + 2 * (z == z), z, w);
        compare(k++, "z+x", __cfgrev_sum_real(z, x), z + x, z, x);
        compare(k++, "z-x", __cfgrev_difference_real(z, x), z - x, z, x);
        compare(k++, "x-z", __cfgrev_real_difference(x, z), x - z, z, x);
        compare(k++, "z*x", __cfgrev_product_real(z, x), z * x, z, x);
        compare(k++, "z/x", __cfgrev_quotient_real(z, x), z / x, z, x);
        compare(k++, "x/z", __cfgrev_quotient(__cfgrev_complex(x, 0), z), x / z, z, x);
        compare(k++, "narrow", __cfgrev_converted(z), (float complex)z, z, x);
        float complex a = __builtin_complex((float)number(150), (float)number(150)), b = __builtin_complex((float)number(150), (float)number(150));
        float y = (float)number(150);
#define AGAINST_FLOAT(name) compare(k++, #name "f", own_##name##f(a), real_##name##f(a), a, b);
        EACH(AGAINST_FLOAT)
        PARTS(AGAINST_FLOAT)
        compare(k++, "cpowf", own_cpowf(a, b), real_cpowf(a, b), a, b);
        compare(k++, "f *", __cfgrev_productf(a, b), a * b, a, b);
        compare(k++, "f /", __cfgrev_quotientf(a, b), a / b, a, b);
        compare(k++, "y/f", __cfgrev_quotientf(__cfgrev_complexf(y, 0), a), y / a, a, y);
    }
    return wrong;
}
