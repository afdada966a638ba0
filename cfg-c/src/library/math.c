/* Functions of the library for which there is no operator. Each stands alone, but for those that it calls, and is read where a file
   calls it. Results are those of the C library bit for bit; what only decides or counts has no derivative. */

double rint(double x)
{
    double t = trunc(x), d = fabs(x - t);
    if (d > 0.5 || (d == 0.5 && fmod(t, 2.0) != 0.0))
        t += copysign(1.0, x);
    return t;
}

double nearbyint(double x) { return rint(x); }
long lrint(double x) { return (long)rint(x); }
long long llrint(double x) { return (long long)rint(x); }
float rintf(float x) { return (float)rint((double)x); }
float nearbyintf(float x) { return (float)rint((double)x); }
long lrintf(float x) { return (long)rint((double)x); }
long long llrintf(float x) { return (long long)rint((double)x); }

double modf(double x, double *whole)
{
    *whole = trunc(x);
    if (x == *whole && x - x != 0.0)
        return copysign(0.0, x);
    /* A negative number without a fraction leaves a negative zero. */
    return copysign(1.0, x) < 0.0 ? -(*whole - x) : x - *whole;
}

float modff(float x, float *whole)
{
    double part, rest = modf((double)x, &part);
    *whole = (float)part;
    return (float)rest;
}

/* The remainder from the nearest multiple of y, of two that are as near the even one. */
double remainder(double x, double y)
{
    double a = fabs(x), b = fabs(y);
    if (a - a != 0.0 || b != b)
        return a - a + b;
    if (b < 0x1p1023)
        a = fmod(a, b + b);
    if (b < 0x1p-1021) {
        if (a + a > b) {
            a -= b;
            if (a + a >= b)
                a -= b;
        }
    } else if (a > 0.5 * b) {
        a -= b;
        if (a >= 0.5 * b)
            a -= b;
    }
    return copysign(1.0, x) < 0.0 ? -a : a;
}

float remainderf(float x, float y) { return (float)remainder((double)x, (double)y); }
double drem(double x, double y) { return remainder(x, y); }

float dremf(float x, float y) { return (float)remainder((double)x, (double)y); }

/* The same, with the last bits of the multiple. */
double remquo(double x, double y, int *quotient)
{
    double a = fabs(x), b = fabs(y);
    int n = 0;
    *quotient = 0;
    if (b == 0.0 || a - a != 0.0 || b != b)
        return x * y / (x * y);
    if (b < 0x1p1021)
        a = fmod(a, 8.0 * b);
    if (b < 0x1p1022 && a >= 4.0 * b) {
        a -= 4.0 * b;
        n += 4;
    }
    if (b < 0x1p1023 && a >= 2.0 * b) {
        a -= 2.0 * b;
        n += 2;
    }
    if (b < 0x1p-1021 ? a + a > b : a > 0.5 * b) {
        a -= b;
        n++;
        if (b < 0x1p-1021 ? a + a >= b : a >= 0.5 * b) {
            a -= b;
            n++;
        }
    }
    *quotient = copysign(1.0, x) == copysign(1.0, y) ? n : -n;
    return copysign(1.0, x) < 0.0 ? -a : a;
}

float remquof(float x, float y, int *quotient) { return (float)remquo((double)x, (double)y, quotient); }

/* The binary exponent of a finite number but 0, of which the mantissa lies from 1 to 2. */
int ilogb(double x)
{
    double a = fabs(x);
    int n = 0;
    if (x != x || a == 0.0)
        return -2147483647 - 1;
    if (a - a != 0.0)
        return 2147483647;
    for (; a >= 0x1p64; n += 64)
        a *= 0x1p-64;
    for (; a < 0x1p-64; n -= 64)
        a *= 0x1p64;
    for (; a >= 2.0; n++)
        a *= 0.5;
    for (; a < 1.0; n--)
        a *= 2.0;
    return n;
}

int ilogbf(float x) { return ilogb((double)x); }

double logb(double x)
{
    if (x == 0.0)
        return -1.0 / fabs(x);
    return x - x == 0.0 ? (double)ilogb(x) : x * x;
}

float logbf(float x) { return (float)logb((double)x); }

double ldexp(double x, int n)
{
    n = n > 3000 ? 3000 : n < -3000 ? -3000 : n;
    for (; n > 1000; n -= 1000)
        x *= 0x1p1000;
    /* Where this step rounds, the rest takes what is left to 0. */
    for (; n < -1022; n += 969)
        x *= 0x1p-969;
    return x * exp2((double)n);
}

double scalbn(double x, int n) { return ldexp(x, n); }
double scalbln(double x, long n) { return ldexp(x, n > 3000 ? 3000 : n < -3000 ? -3000 : (int)n); }
float ldexpf(float x, int n) { return (float)ldexp((double)x, n); }
float scalbnf(float x, int n) { return (float)ldexp((double)x, n); }
float scalblnf(float x, long n) { return (float)scalbln((double)x, n); }

double frexp(double x, int *n)
{
    *n = 0;
    if (x == 0.0 || x - x != 0.0)
        return x;
    *n = ilogb(x) + 1;
    return ldexp(x, -*n);
}

float frexpf(float x, int *n) { return (float)frexp((double)x, n); }

void sincos(double x, double *s, double *c)
{
    *s = sin(x);
    *c = cos(x);
}

void sincosf(float x, float *s, float *c)
{
    *s = (float)sin((double)x);
    *c = (float)cos((double)x);
}

int __cfgrev_isnormal(double x) { return x - x == 0.0 && fabs(x) >= 0x1p-1022; }
int __cfgrev_isnormalf(float x) { return x - x == 0.0f && fabsf(x) >= 0x1p-126f; }

/* FP_NAN, FP_INFINITE, FP_ZERO, FP_SUBNORMAL and FP_NORMAL are counted from 0. */
int __cfgrev_fpclassify(double x) { return x != x ? 0 : x - x != 0.0 ? 1 : x == 0.0 ? 2 : fabs(x) < 0x1p-1022 ? 3 : 4; }
int __cfgrev_fpclassifyf(float x) { return x != x ? 0 : x - x != 0.0f ? 1 : x == 0.0f ? 2 : fabsf(x) < 0x1p-126f ? 3 : 4; }

/* What macros of math.h become in files that are preprocessed. */
int __builtin_isnormal(double x) { return __cfgrev_isnormal(x); }
int __builtin_isgreater(double x, double y) { return x > y; }
int __builtin_isgreaterequal(double x, double y) { return x >= y; }
int __builtin_isless(double x, double y) { return x < y; }
int __builtin_islessequal(double x, double y) { return x <= y; }

/* The bits of a number, and the number of bits. That of no number is the quiet one. */
unsigned long __cfgrev_bits(double x)
{
    unsigned long sign = copysign(1.0, x) < 0.0 ? 0x8000000000000000UL : 0UL;
    double a = copysign(x, 1.0);
    unsigned long e = 1023UL;
    if (a != a)
        return sign | 0x7ff8000000000000UL;
    if (a - a != 0.0)
        return sign | 0x7ff0000000000000UL;
    if (a < 0x1p-1022)
        return sign | (unsigned long)(a * 0x1p1000 * 0x1p74);
    for (; a >= 0x1p64; e += 64UL)
        a *= 0x1p-64;
    for (; a < 0x1p-64; e -= 64UL)
        a *= 0x1p64;
    for (; a >= 2.0; e++)
        a *= 0.5;
    for (; a < 1.0; e--)
        a *= 2.0;
    return sign | e << 52 | (unsigned long)((a - 1.0) * 0x1p52);
}

unsigned int __cfgrev_bitsf(float x)
{
    unsigned int sign = copysign(1.0, (double)x) < 0.0 ? 0x80000000U : 0U;
    double a = copysign((double)x, 1.0);
    unsigned int e = 127U;
    if (a != a)
        return sign | 0x7fc00000U;
    if (a - a != 0.0)
        return sign | 0x7f800000U;
    if (a < 0x1p-126)
        return sign | (unsigned int)(a * 0x1p149);
    for (; a >= 0x1p16; e += 16U)
        a *= 0x1p-16;
    for (; a < 0x1p-16; e -= 16U)
        a *= 0x1p16;
    for (; a >= 2.0; e++)
        a *= 0.5;
    for (; a < 1.0; e--)
        a *= 2.0;
    return sign | e << 23 | (unsigned int)((a - 1.0) * 0x1p23);
}

double __cfgrev_real(unsigned long bits)
{
    int e = (int)(bits >> 52 & 0x7ffUL);
    double m = (double)(bits & 0xfffffffffffffUL), a = m * 0x1p-1000 * 0x1p-74;
    if (e == 2047) {
        a = 0x1p1023 * 2.0;
        if (m != 0.0)
            a -= a;
    } else if (e > 0) {
        a = 1.0 + m * 0x1p-52;
        for (; e >= 1087; e -= 64)
            a *= 0x1p64;
        for (; e > 1023; e--)
            a *= 2.0;
        for (; e <= 959; e += 64)
            a *= 0x1p-64;
        for (; e < 1023; e++)
            a *= 0.5;
    }
    return copysign(a, bits >> 63 ? -1.0 : 1.0);
}

float __cfgrev_realf(unsigned int bits)
{
    int e = (int)(bits >> 23 & 0xffU);
    double m = (double)(bits & 0x7fffffU), a = m * 0x1p-149;
    if (e == 255) {
        a = 0x1p1023 * 2.0;
        if (m != 0.0)
            a -= a;
    } else if (e > 0) {
        a = 1.0 + m * 0x1p-23;
        for (; e > 127; e--)
            a *= 2.0;
        for (; e < 127; e++)
            a *= 0.5;
    }
    return (float)copysign(a, bits >> 31 ? -1.0 : 1.0);
}

/* As the compiler's own library has it. */
double __builtin_powi(double x, int n)
{
    unsigned k = n < 0 ? -(unsigned)n : (unsigned)n;
    double y = k % 2 ? x : 1.0;
    while (k >>= 1) {
        x *= x;
        if (k % 2)
            y *= x;
    }
    return n < 0 ? 1.0 / y : y;
}

float __builtin_powif(float x, int n)
{
    unsigned k = n < 0 ? -(unsigned)n : (unsigned)n;
    float y = k % 2 ? x : 1.0f;
    while (k >>= 1) {
        x *= x;
        if (k % 2)
            y *= x;
    }
    return n < 0 ? 1.0f / y : y;
}

div_t div(int a, int b) { div_t r = {a / b, a % b}; return r; }
ldiv_t ldiv(long a, long b) { ldiv_t r = {a / b, a % b}; return r; }
lldiv_t lldiv(long long a, long long b) { lldiv_t r = {a / b, a % b}; return r; }
imaxdiv_t imaxdiv(long a, long b) { imaxdiv_t r = {a / b, a % b}; return r; }

long clock(void) { return 0; }
long time(long *t)
{
    if (t)
        *t = 0;
    return 0;
}

double omp_get_wtime(void) { return 0.0; }
int timespec_get(struct timespec *t, int base)
{
    t->tv_sec = t->tv_nsec = 0;
    return base;
}

int clock_gettime(int clock, struct timespec *t)
{
    t->tv_sec = t->tv_nsec = 0;
    return 0;
}

int gettimeofday(struct timeval *t, void *zone)
{
    t->tv_sec = t->tv_usec = 0;
    return 0;
}

int isatty(int file) { return 0; }
char *getenv(const char *name) { return 0; }
int getpid(void) { return 0; }
int getppid(void) { return 0; }
unsigned sleep(unsigned seconds) { return 0; }
int usleep(unsigned micros) { return 0; }
unsigned long pthread_self(void) { return 0; }
int pthread_equal(unsigned long a, unsigned long b) { return a == b; }
double difftime(long end, long start) { return (double)(end - start); }

/* The bits of integers; of zeros at either end of 0 there are as many as bits. */
int __builtin_popcountl(unsigned long x)
{
    int n = 0;
    for (; x; x &= x - 1)
        n++;
    return n;
}

int __builtin_ctzl(unsigned long x) { return __builtin_popcountl((x - 1) & ~x); }

int __builtin_clzl(unsigned long x)
{
    int n = 64;
    for (; x; x >>= 1)
        n--;
    return n;
}

int __builtin_ffsl(long x) { return x ? __builtin_ctzl(x) + 1 : 0; }
int __builtin_parityl(unsigned long x) { return __builtin_popcountl(x) & 1; }
int __builtin_popcount(unsigned x) { return __builtin_popcountl(x); }
int __builtin_popcountll(unsigned long long x) { return __builtin_popcountl(x); }
int __builtin_ctz(unsigned x) { return x ? __builtin_ctzl(x) : 32; }
int __builtin_ctzll(unsigned long long x) { return __builtin_ctzl(x); }
int __builtin_clz(unsigned x) { return __builtin_clzl(x) - 32; }
int __builtin_clzll(unsigned long long x) { return __builtin_clzl(x); }
int __builtin_ffs(int x) { return __builtin_ffsl(x); }
int __builtin_ffsll(long long x) { return __builtin_ffsl(x); }
int __builtin_parity(unsigned x) { return __builtin_popcountl(x) & 1; }
int __builtin_parityll(unsigned long long x) { return __builtin_popcountl(x) & 1; }

/* Characters of the locale "C". */
int isdigit(int c) { return c >= '0' && c <= '9'; }
int islower(int c) { return c >= 'a' && c <= 'z'; }
int isupper(int c) { return c >= 'A' && c <= 'Z'; }
int isalpha(int c) { return islower(c) || isupper(c); }
int isalnum(int c) { return isalpha(c) || isdigit(c); }
int isxdigit(int c) { return isdigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
int isblank(int c) { return c == ' ' || c == '\t'; }
int isspace(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
int iscntrl(int c) { return (c >= 0 && c < ' ') || c == 127; }
int isgraph(int c) { return c > ' ' && c < 127; }
int isprint(int c) { return c >= ' ' && c < 127; }
int ispunct(int c) { return isgraph(c) && !isalnum(c); }
int tolower(int c) { return isupper(c) ? c + ('a' - 'A') : c; }
int toupper(int c) { return islower(c) ? c - ('a' - 'A') : c; }
