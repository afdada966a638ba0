//@ flags {"n":173,"x":1.5}
//@ flags {"n":6,"x":-0.5}
//@ words {"n":4023233417,"x":1.5}
//@ written {"n":-3,"x":0.75}
//@ signs {"n":-1234,"x":0.75}
//@ steps {"n":7,"x":0.75}
//@ many {"n":5,"x":0.75}
/* Unions of integers: one, and its bits, bytes or halves. */
#include <stdint.h>
#include <stdlib.h>
union flags {
    uint8_t byte;
    struct { uint8_t a : 1, b : 1, c : 2, rest : 4; } bits;
};
static double with(union flags f, double x) { return f.bits.a ? x * x : f.bits.b ? x + 3 : x; }
double flags(int n, double x)
{
    union flags f, g;
    f.byte = (uint8_t)n;
    g = f;
    double y = x * f.bits.c + with(f, x) * f.bits.rest;
    g.bits.rest = n;
    g.bits.a ^= 1;
    g.bits.c = 1.75 * x;
    return y + with(g, x) * g.byte;
}

union word { uint32_t word; struct { uint16_t low, high; } half; uint8_t bytes[4]; struct { uint32_t mantissa : 23, exponent : 8, sign : 1; }; };
double words(unsigned n, double x)
{
    union word w = {n};
    double y = x * w.half.low - x * x * w.half.high;
    for (int i = 0; i < 4; i++) {
        y += w.bytes[i] * x;
        w.bytes[3 - i] += 2 * i;
    }
    w.half.high -= 77;
    return y * (w.word % 1000) + w.mantissa * x + w.exponent - w.sign;
}

struct message { int kind; union { long all; struct { int from, to; } two; short parts[4]; } to; };
double written(int n, double x)
{
    struct message *m = malloc(2 * sizeof *m), *last = &m[1];
    last->kind = 1;
    last->to.all = 0;
    last->to.two.from = n;
    last->to.two.to = 4 * n;
    m[0] = *last;
    m[0].to.parts[n & 3] = 7000 * n;
    double y = x * last->to.parts[0] + x * x * last->to.parts[2];
    y += (m->to.all >> 7) % 1001 * x + m->to.two.from;
    free(m);
    return y * (last == m + 1 ? 2 : 1);
}

union narrow { int16_t all; struct { int16_t low : 5, middle : 7, high : 4; } b; signed char c[2]; };
double signs(int n, double x)
{
    union narrow u;
    u.all = n;
    double y = u.b.low * x + u.b.middle * x * x - u.b.high;
    y += u.c[0] + 2 * u.c[1] * x;
    if (u.b.low < -1)
        y *= 3;
    u.b.middle = -u.b.middle;
    u.b.high = 9;
    return y + x * u.all;
}
double steps(int n, double x)
{
    union flags f = {.byte = 0xf0};
    for (int i = 0; i < n; i++, f.bits.c++)
        f.bits.rest--;
    f.bits.b = n > 3;
    f.bits.a |= 3;
    return x * f.byte + f.bits.c;
}
struct row { union flags f[3]; double v; };
double many(int n, double x)
{
    struct row rows[4] = {{{{1}, {2}, {3}}, 0.5}, {.v = 2}};
    double y = 0;
    for (int i = 0; i < n; i++) {
        struct row *r = &rows[i % 4];
        r->f[i % 3].bits.rest = i;
        r->v = x * i;
        y += r->f[(i + 1) % 3].byte * r->v + rows[0].f[0].bits.rest;
    }
    return y;
}
