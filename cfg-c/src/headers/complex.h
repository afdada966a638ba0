#pragma once
#define complex _Complex
#define _Complex_I (__builtin_complex(0.0f, 1.0f))
#define I _Complex_I
#define CMPLX(x, y) __builtin_complex((double)(x), (double)(y))
#define CMPLXF(x, y) __builtin_complex((float)(x), (float)(y))
double creal(double _Complex); float crealf(float _Complex); double cimag(double _Complex); float cimagf(float _Complex);
double cabs(double _Complex); float cabsf(float _Complex); double carg(double _Complex); float cargf(float _Complex);
double _Complex conj(double _Complex); float _Complex conjf(float _Complex);
double _Complex cproj(double _Complex); float _Complex cprojf(float _Complex);
double _Complex cexp(double _Complex); float _Complex cexpf(float _Complex);
double _Complex clog(double _Complex); float _Complex clogf(float _Complex);
double _Complex csqrt(double _Complex); float _Complex csqrtf(float _Complex);
double _Complex cpow(double _Complex, double _Complex); float _Complex cpowf(float _Complex, float _Complex);
double _Complex csin(double _Complex); float _Complex csinf(float _Complex);
double _Complex ccos(double _Complex); float _Complex ccosf(float _Complex);
double _Complex ctan(double _Complex); float _Complex ctanf(float _Complex);
double _Complex csinh(double _Complex); float _Complex csinhf(float _Complex);
double _Complex ccosh(double _Complex); float _Complex ccoshf(float _Complex);
double _Complex ctanh(double _Complex); float _Complex ctanhf(float _Complex);
/* Refused by their names. */
double _Complex casin(double _Complex); float _Complex casinf(float _Complex);
double _Complex cacos(double _Complex); float _Complex cacosf(float _Complex);
double _Complex catan(double _Complex); float _Complex catanf(float _Complex);
double _Complex casinh(double _Complex); float _Complex casinhf(float _Complex);
double _Complex cacosh(double _Complex); float _Complex cacoshf(float _Complex);
double _Complex catanh(double _Complex); float _Complex catanhf(float _Complex);
