#pragma once
double exp2(double);
double exp10(double);
double rint(double);
double nearbyint(double);
double logb(double);
double remainder(double, double);
double fdim(double, double);
double fmax(double, double);
double fmin(double, double);
double nextafter(double, double); double nexttoward(double, long double);
long lround(double); long long llround(double); long lrint(double); long long llrint(double);
double ldexp(double, int); double scalbn(double, int); double scalbln(double, long); int ilogb(double);
double frexp(double, int *); double modf(double, double *); double remquo(double, double, int *); double nan(const char *);
void sincos(double, double *, double *);
float exp2f(float);
float exp10f(float);
float rintf(float);
float nearbyintf(float);
float logbf(float);
float remainderf(float, float);
float fdimf(float, float);
float fmaxf(float, float);
float fminf(float, float);
float nextafterf(float, float); float nexttowardf(float, long double);
long lroundf(float); long long llroundf(float); long lrintf(float); long long llrintf(float);
float ldexpf(float, int); float scalbnf(float, int); float scalblnf(float, long); int ilogbf(float);
float frexpf(float, int *); float modff(float, float *); float remquof(float, float, int *); float nanf(const char *);
void sincosf(float, float *, float *);
long double exp2l(long double);
long double exp10l(long double);
long double rintl(long double);
long double nearbyintl(long double);
long double logbl(long double);
long double remainderl(long double, long double);
long double fdiml(long double, long double);
long double fmaxl(long double, long double);
long double fminl(long double, long double);
long double nextafterl(long double, long double); long double nexttowardl(long double, long double);
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
