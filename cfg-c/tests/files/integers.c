//@ wraps {"seed":12345,"x":[1.5,2.5]}
//@ narrow {"k":300,"x":[1.5,2.5]}
//@ bits {"k":77,"x":[1.5,2.5]}
//@ flags {"b":true,"k":3,"x":[1.5,2.5]}
//@ division {"a":-7,"b":3,"x":[1.5,2.5]}
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
double wraps(uint32_t seed, const double *x)
{
    uint64_t s = seed;
    double v = 0;
    for (int i = 0; i < 5; i++) {
        s = s * 6364136223846793005ULL + 1442695040888963407ULL;
        seed = (uint32_t) (s >> 33) ^ seed << 3;
        v += x[seed & 1] * (seed % 7u) / (1u + (seed >> 29));
    }
    return v;
}
double narrow(int k, const double *x)
{
    unsigned char c = (unsigned char) k;
    signed char d = (signed char) (k - 100);
    short s = (short) (k * 200);
    c += 250;
    return c * x[0] + d * x[1] + s + (c > d) + (char) 65;
}
double bits(int k, const double *x)
{
    int a = k & 12, b = k | 3, c = k ^ 5, d = ~k, e = k << 2, f = k >> 1;
    a <<= 1, b &= 0xf, c |= 16, d ^= 7, e >>= 1, f %= 5;
    return (a + b) * x[0] + (c - d) * x[1] + e * f;
}
enum mode { OFF, ON = 4, AUTO };
double flags(bool b, unsigned k, const double *x)
{
    bool both = b && k > 2, any = k;
    _Bool no = !b;
    enum mode m = both ? AUTO : ON;
    return m * x[0] + any * x[1] + no + (b + b) * x[0] + (double) (INT_MAX - 5 > 0) + sizeof m;
}
double division(int a, int b, const double *x)
{
    return a / b * x[0] + a % b * x[1] + (a / -b) + (unsigned) a / 1000000000u + (a - b) / 2.0 + 7 / 2 * x[0];
}
