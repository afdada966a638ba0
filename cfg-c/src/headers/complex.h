#pragma once
/* Complex numbers are refused by the name of their type. */
#define complex _Complex
#define I ((double _Complex)0)
#define _Complex_I I
/* What these are given is refused where it is declared. */
#define conj(z) (z)
#define cproj(z) (z)
#define cexp(z) (z)
#define clog(z) (z)
#define csqrt(z) (z)
#define csin(z) (z)
#define ccos(z) (z)
#define ctan(z) (z)
#define csinh(z) (z)
#define ccosh(z) (z)
#define ctanh(z) (z)
#define creal(z) (z)
#define cimag(z) (z)
#define cabs(z) (z)
#define carg(z) (z)
#define cpow(z, w) ((z) + (w))
