//@ inverse_root {"x":2.5}
//@ parts {"x":-10.5}
/* Bits of real numbers that unions read as integers. */
#pragma cfgrev no-diff(bits)
#include <stdint.h>
float inverse_root(float x)
{
    union { float f; int32_t i; } n = {x};
    n.i = 0x5f3759df - (n.i >> 1);
    return n.f * (1.5f - 0.5f * x * n.f * n.f);
}
typedef union { uint64_t bits; double value; struct { uint32_t low, high; } halves; } number;
double parts(double x)
{
    number a, b;
    a.value = x;
    b.value = 1.0;
    b.bits |= a.bits & 0x000fffffffffffffu;
    a.bits &= ~(1ull << 63);
    return b.value * x + (a.value > 2.0 ? a.value : 1.0);
}
