/* Reads and writes the numbers of a call, and makes it. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __unix__
#include <sys/resource.h>
#endif

static FILE *input, *output;

void cfgrev_call(void);

static unsigned long long cell(void)
{
    unsigned long long value = 0;
    if (fread(&value, sizeof value, 1, input) != 1)
        abort();
    return value;
}

static void put(unsigned long long value)
{
    if (fwrite(&value, sizeof value, 1, output) != 1)
        abort();
}

double cfgrev_real(void)
{
    unsigned long long bits = cell();
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

long long cfgrev_integer(void)
{
    return (long long)cell();
}

void cfgrev_put_real(double value)
{
    unsigned long long bits;
    memcpy(&bits, &value, sizeof bits);
    put(bits);
}

void cfgrev_put_integer(long long value)
{
    put((unsigned long long)value);
}

/* Zeros, or bytes that are NaN where reals are. */
void *cfgrev_memory(unsigned long count, unsigned long size, int unset)
{
    char *memory = calloc(count ? count : 1, size);
    if (!memory)
        abort();
    if (unset)
        memset(memory, 0xff, count * size);
    return memory;
}

/* What follows stands in place of the library's functions, unless the file has its own. The executor computes those of float in double, and
   rounds; emitted C calls the library's. */
#ifdef CFGREV_EXECUTOR
#define ONE(f)                                   \
    __attribute__((weak)) float f##f(float x)    \
    {                                            \
        return (float)f((double)x);              \
    }
#define TWO(f)                                          \
    __attribute__((weak)) float f##f(float x, float y)  \
    {                                                   \
        return (float)f((double)x, (double)y);          \
    }
ONE(acos) ONE(acosh) ONE(asin) ONE(asinh) ONE(atan) ONE(atanh) ONE(cbrt) ONE(cos) ONE(cosh) ONE(erf) ONE(erfc) ONE(exp)
ONE(expm1) ONE(lgamma) ONE(log) ONE(log10) ONE(log1p) ONE(log2) ONE(sin) ONE(sinh) ONE(tan) ONE(tanh) ONE(tgamma)
TWO(atan2) TWO(hypot) TWO(pow)

__attribute__((weak)) void sincosf(float x, float *s, float *c)
{
    *s = sinf(x);
    *c = cosf(x);
}
#endif

/* They are read as powers. */
__attribute__((weak)) double exp2(double x)
{
    return pow(2.0, x);
}

__attribute__((weak)) float exp2f(float x)
{
    return powf(2.0f, x);
}

__attribute__((weak)) double exp10(double x)
{
    return pow(10.0, x);
}

__attribute__((weak)) float exp10f(float x)
{
    return powf(10.0f, x);
}

/* Of two zeros the first, of which C says nothing. */
__attribute__((weak)) double fmax(double x, double y)
{
    return x != x || y > x ? y : x;
}

__attribute__((weak)) double fmin(double x, double y)
{
    return x != x || y < x ? y : x;
}

__attribute__((weak)) float fmaxf(float x, float y)
{
    return x != x || y > x ? y : x;
}

__attribute__((weak)) float fminf(float x, float y)
{
    return x != x || y < x ? y : x;
}

static void limit(int kind, unsigned long long most)
{
#ifdef __unix__
    struct rlimit limit;
    limit.rlim_cur = limit.rlim_max = (rlim_t)most;
    setrlimit(kind, &limit);
#endif
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 1;
    input = fopen(argv[1], "rb");
    output = fopen(argv[2], "wb");
    if (!input || !output)
        return 1;
#ifdef __unix__
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_AS, strtoull(argv[3], NULL, 10));
#endif
    put((unsigned long long)FLT_EVAL_METHOD);
    cfgrev_call();
    put(CFGREV_END);
    return fclose(output) ? 1 : 0;
}
