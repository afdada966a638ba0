//@ of_texts {"v":1.5}
//@ of_expressions {"v":0.5,"n":4}
//@ in_structures {"v":2.5}
//@ constants {"v":0.25}
/* Sizes of all kinds of operands, which are not evaluated, places in structures, and other constants. */
#include <float.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#define COUNT(a) (sizeof(a) / sizeof *(a))

double of_texts(double v)
{
    static const char known[] = "dxz";
    double s = v * (sizeof "abc" - 1) + v * v * sizeof("a\n\0\x7f" "b");
    return s + v * sizeof known + sizeof __func__ * v + sizeof "" + sizeof("ab" + 0) + sizeof *"ab" + sizeof(v > 0 ? "ab" : "c");
}

struct mixed { char c; double d; short s[3]; struct { char a; int b; } in[2]; _Bool last; };

static struct mixed nothing(void)
{
    struct mixed m = {0};
    return m;
}

double of_expressions(double v, int n)
{
    char c = 1;
    short s = 2;
    float f = 3;
    int i = n;
    double w[n], fixed[3][2];
    double total = sizeof(c + c) + 10 * sizeof(-s) + 100 * sizeof(c ? s : c) + 1000 * sizeof(f * 2) + sizeof 'a' + 3 * sizeof(c == s);
    for (int k = 0; k < n; k++)
        w[k] = v * k;
    total += sizeof i++ + sizeof(i = 3) + 3 * sizeof(c = 7) + 5 * sizeof(c, s) + sizeof nothing() + 7 * sizeof(int[]){1, 2, 3};
    total += v * (sizeof w + sizeof(double[n]) + sizeof fixed + 2 * sizeof fixed[0] + sizeof(&fixed) + sizeof(fixed + 0)) + w[n - 1];
    return total * v + i + COUNT(w) * v + c;
}

double in_structures(double v)
{
    double s = sizeof(struct mixed) + 3 * sizeof ((struct mixed *)0)->in + 5 * sizeof((struct mixed *)0)->s[1];
    s += v * (offsetof(struct mixed, d) + offsetof(struct mixed, in[1].b) + offsetof(struct mixed, s[2]) * v + offsetof(struct mixed, last));
    return s + v * (_Alignof(struct mixed) + _Alignof(short[4]) + (size_t)&((struct mixed *)0)->in[1]);
}

enum { THREE = (int)3.7, MORE, LESS = -(int)1.5e1, WIDE = (unsigned char)300, HOLDS = 2.5 > 2, BYTES = sizeof "xyz" };

double constants(double v)
{
    static const double half = 1.0f / 2, third = -1.0 / 3, mixed = 7 / 2 + 0.5f, small = FLT_EPSILON * 2;
    double size_t = v * THREE + MORE + LESS * v + WIDE + HOLDS + BYTES * v;
    int places[MORE] = {[THREE] = DECIMAL_DIG, [(int)1.9] = FLT_MAX_EXP};
    size_t += FLT_MIN_EXP + FLT_MAX_10_EXP + DBL_MIN_10_EXP + INT_LEAST16_MAX + MB_LEN_MAX + places[3] * v + places[1] + places[0];
    return size_t * half + third * v + mixed + small * v;
}
