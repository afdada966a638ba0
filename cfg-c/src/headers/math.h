#pragma once
double acos(double);
double asin(double);
double atan(double);
double cos(double);
double sin(double);
double tan(double);
double acosh(double);
double asinh(double);
double atanh(double);
double cosh(double);
double sinh(double);
double tanh(double);
double exp(double);
double exp2(double);
double exp10(double);
double expm1(double);
double log(double);
double log2(double);
double log10(double);
double log1p(double);
double cbrt(double);
double sqrt(double);
double fabs(double);
double ceil(double);
double floor(double);
double round(double);
double trunc(double);
double rint(double);
double nearbyint(double);
double erf(double);
double erfc(double);
double lgamma(double);
double tgamma(double);
double logb(double);
double pow(double, double);
double atan2(double, double);
double hypot(double, double);
double fmod(double, double);
double remainder(double, double);
double copysign(double, double);
double fdim(double, double);
double fmax(double, double);
double fmin(double, double);
double nextafter(double, double); double nexttoward(double, long double);
double fma(double, double, double);
long lround(double); long long llround(double); long lrint(double); long long llrint(double);
double ldexp(double, int); double scalbn(double, int); double scalbln(double, long); int ilogb(double);
double frexp(double, int *); double modf(double, double *); double remquo(double, double, int *); double nan(const char *);
void sincos(double, double *, double *);
float acosf(float);
float asinf(float);
float atanf(float);
float cosf(float);
float sinf(float);
float tanf(float);
float acoshf(float);
float asinhf(float);
float atanhf(float);
float coshf(float);
float sinhf(float);
float tanhf(float);
float expf(float);
float exp2f(float);
float exp10f(float);
float expm1f(float);
float logf(float);
float log2f(float);
float log10f(float);
float log1pf(float);
float cbrtf(float);
float sqrtf(float);
float fabsf(float);
float ceilf(float);
float floorf(float);
float roundf(float);
float truncf(float);
float rintf(float);
float nearbyintf(float);
float erff(float);
float erfcf(float);
float lgammaf(float);
float tgammaf(float);
float logbf(float);
float powf(float, float);
float atan2f(float, float);
float hypotf(float, float);
float fmodf(float, float);
float remainderf(float, float);
float copysignf(float, float);
float fdimf(float, float);
float fmaxf(float, float);
float fminf(float, float);
float nextafterf(float, float); float nexttowardf(float, long double);
float fmaf(float, float, float);
long lroundf(float); long long llroundf(float); long lrintf(float); long long llrintf(float);
float ldexpf(float, int); float scalbnf(float, int); float scalblnf(float, long); int ilogbf(float);
float frexpf(float, int *); float modff(float, float *); float remquof(float, float, int *); float nanf(const char *);
void sincosf(float, float *, float *);
long double acosl(long double);
long double asinl(long double);
long double atanl(long double);
long double cosl(long double);
long double sinl(long double);
long double tanl(long double);
long double acoshl(long double);
long double asinhl(long double);
long double atanhl(long double);
long double coshl(long double);
long double sinhl(long double);
long double tanhl(long double);
long double expl(long double);
long double exp2l(long double);
long double exp10l(long double);
long double expm1l(long double);
long double logl(long double);
long double log2l(long double);
long double log10l(long double);
long double log1pl(long double);
long double cbrtl(long double);
long double sqrtl(long double);
long double fabsl(long double);
long double ceill(long double);
long double floorl(long double);
long double roundl(long double);
long double truncl(long double);
long double rintl(long double);
long double nearbyintl(long double);
long double erfl(long double);
long double erfcl(long double);
long double lgammal(long double);
long double tgammal(long double);
long double logbl(long double);
long double powl(long double, long double);
long double atan2l(long double, long double);
long double hypotl(long double, long double);
long double fmodl(long double, long double);
long double remainderl(long double, long double);
long double copysignl(long double, long double);
long double fdiml(long double, long double);
long double fmaxl(long double, long double);
long double fminl(long double, long double);
long double nextafterl(long double, long double); long double nexttowardl(long double, long double);
long double fmal(long double, long double, long double);
long lroundl(long double); long long llroundl(long double); long lrintl(long double); long long llrintl(long double);
long double ldexpl(long double, int); long double scalbnl(long double, int); long double scalblnl(long double, long); int ilogbl(long double);
long double frexpl(long double, int *); long double modfl(long double, long double *); long double remquol(long double, long double, int *); long double nanl(const char *);
void sincosl(long double, long double *, long double *);
double j0(double); double j1(double); double jn(int, double); double y0(double); double y1(double); double yn(int, double); double gamma(double);
double drem(double, double); float dremf(float, float); double significand(double); int finite(double);
#define FP_ILOGB0 (-2147483647 - 1)
#define FP_ILOGBNAN (-2147483647 - 1)
int __cfgrev_isnan(double); int __cfgrev_isinf(double); int __cfgrev_isfinite(double); int __cfgrev_signbit(double);
int __cfgrev_isnormal(double); int __cfgrev_isnormalf(float); int __cfgrev_fpclassify(double); int __cfgrev_fpclassifyf(float); int __cfgrev_isunordered(double, double); int __cfgrev_islessgreater(double, double);
float __cfgrev_inf(void); float __cfgrev_nan(void);
#define isnan(x) __cfgrev_isnan(x)
#define isinf(x) __cfgrev_isinf(x)
#define isfinite(x) __cfgrev_isfinite(x)
#define signbit(x) __cfgrev_signbit(x)
#define isnormal(x) (sizeof(x) == sizeof(float) ? __cfgrev_isnormalf(x) : __cfgrev_isnormal(x))
#define isgreater(x, y) ((x) > (y))
#define isgreaterequal(x, y) ((x) >= (y))
#define isless(x, y) ((x) < (y))
#define islessequal(x, y) ((x) <= (y))
#define islessgreater(x, y) __cfgrev_islessgreater(x, y)
#define isunordered(x, y) __cfgrev_isunordered(x, y)
#define fpclassify(x) (sizeof(x) == sizeof(float) ? __cfgrev_fpclassifyf(x) : __cfgrev_fpclassify(x))
enum { FP_NAN, FP_INFINITE, FP_ZERO, FP_SUBNORMAL, FP_NORMAL };
#define INFINITY (__cfgrev_inf())
#define NAN (__cfgrev_nan())
#define HUGE_VAL ((double)__cfgrev_inf())
#define HUGE_VALF (__cfgrev_inf())
#define HUGE_VALL ((long double)__cfgrev_inf())
typedef double double_t;
typedef float float_t;
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
