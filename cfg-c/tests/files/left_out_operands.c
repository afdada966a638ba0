/* Printing as an operand that decides nothing, and what compilers count in the bits of constants. */
#include <stdio.h>
static int level = 1, calls;
#define DEBUG(...) ((void)(level && fprintf(stderr, __VA_ARGS__)))
static int count(void) { return ++calls; }

//@ logged {"x": 1.5}
double logged(double x)
{
    DEBUG("x = %g\n", x);
    level > 5 || count();
    level && count() && fprintf(stderr, "counted\n");
    level && (count(), level = 0, fprintf(stderr, "off\n"));
    level || (x *= 2, fprintf(stderr, "%g\n", x));
    (void)(x > 100 || fputs("small\n", stderr));
    level ? (void)fprintf(stderr, "on\n") : (void)0;
    return x * x + calls;
}

static int table[__builtin_popcount(7) + 1] = { __builtin_ctz(8), __builtin_clz(1), [__builtin_ffs(4) - 1] = 9 };
enum { WIDTH = __builtin_popcount(0xff) + __builtin_clzl(1) + __builtin_ffs(0) + __builtin_parity(7) + __builtin_popcount(-1) };

//@ counted {"x": 1.5}
double counted(double x)
{
    switch ((int)x) {
    case __builtin_ctz(2): x *= WIDTH;
    }
    return x * sizeof table + table[0] + table[1] + table[2];
}
