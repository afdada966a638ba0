//@ signs {"n":3,"x":[0.3,-0.6,7.5]}
//@ exponents {"n":3,"x":[0.3,-5.5,3.2]}
//@ singles {"n":2,"x":[0.3,-5.5]}
//@ hashed {"n":3,"x":[0.3,-5.5,1e-3]}
/* Bits of real numbers that decide, and have no derivative: conversions of pointers, and memcpy. */
#include <stdint.h>
#include <string.h>
#pragma cfgrev no-diff(bits)
double signs(int n, const double *x)
{
    double y = 0.0;
    for (int i = 0; i < n; i++) {
        uint64_t u;
        memcpy(&u, &x[i], sizeof u);
        if (u >> 63)
            y -= 2.0 * x[i];
        else
            y += x[i] * 1e-3;
        if (((int64_t *)(x + i))[0] < 0)
            y += 1.0;
    }
    return y;
}

static int exponent(double x)
{
    return (int)((*(const unsigned long long *)&x >> 52) & 0x7ff) - 1023;
}

double exponents(int n, const double *x)
{
    double y = 0.0;
    for (int i = 0; i < n; i++)
        y += exponent(x[i]) * 1e-3 + (exponent(x[i]) > 0 ? 1e-200 : 1.0) * x[i];
    return y;
}

double singles(int n, const float *x)
{
    double y = 0.0;
    for (int i = 0; i < n; i++) {
        float scale;
        uint32_t u = *(uint32_t *)&x[i], power = u & 0x7f800000u;
        memcpy(&scale, &power, sizeof scale);
        int32_t one = 0x3f800000;
        y += x[i] * *(float *)&one;
        if (scale > 1.0f)
            y -= scale;
    }
    return y;
}

/* Bits that are written: a number is taken apart, and put together again. */
double hashed(int n, const double *x)
{
    double y = 0.0;
    for (int i = 0; i < n; i++) {
        double part = 0.0;
        uint64_t u = *(uint64_t *)(x + i);
        *(uint64_t *)&part = u & 0xffff000000000000u;
        *(uint64_t *)&part ^= (uint64_t)1 << 63;
        y += x[i] * x[i] + ((u >> 60) % 7 == 3 ? 1.0 : 2.0) * x[i] + (part < 0.0);
    }
    return y;
}
