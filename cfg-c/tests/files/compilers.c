//@ functions {"x":-2.3,"y":1.7}
//@ macros {"n":3,"x":[2,-1.5,0.3]}
//@ words {"k":4,"x":1.2}
//@ chosen {"x":0.8,"y":0.3}
/* What compilers have beside C: their names of functions, attributes, statements in expressions, types of expressions. */
#include <stddef.h>
#define LIKELY(c) __builtin_expect(!!(c), 1)
#define MAX(a, b) ({ __typeof__(a) a_ = (a); const __typeof__(b) b_ = (b); a_ > b_ ? a_ : b_; })
#define SQUARE(a) (__extension__({ __auto(a) v = (a); v * v; }))
#define __auto(a) __typeof__(a)

double functions(double x, double y)
{
    double s = __builtin_fabs(x) * x + __builtin_sqrt(y) + __builtin_powi(x, 3) + __builtin_powi(y, -2);
    float z = __builtin_fminf((float)x, (float)y);
    int n;
    double part = __builtin_frexp(y, &n);
    s += part * n + z;
    if (__builtin_isnan(s) || s > __builtin_huge_val() || s == __builtin_inf() || __builtin_isinf(x))
        s = __builtin_nan("");
    if (__builtin_constant_p(3) && __builtin_types_compatible_p(double, double))
        s *= 2;
    if (s > 1e300)
        __builtin_unreachable();
    double a[2], b[2] = {x, y};
    __builtin_memcpy(a, b, sizeof a);
    __builtin_memset(b, 0, sizeof b);
    return s * a[0] + a[1] + b[0];
}

double macros(int n, const double *x)
{
    double m = x[0];
    for (int i = 1; LIKELY(i < n); i++)
        m = MAX(m, x[i]) + 0.5 * MAX(MAX(x[i], x[i - 1]), 0.1);
    return SQUARE(m) + m ?: 1.0;
}

static inline __attribute((always_inline)) double thrice(double x) { return 3.0 * x; }
__attribute__((noinline, const)) static double twice(const double x __attribute__((unused)));
static double twice(const double x) { return x + x; }
[[maybe_unused]] static double unused(double x) { return x; }
struct __attribute__((aligned(16))) pair { _Alignas(16) double a; double b __attribute__((aligned(8))); };
_Static_assert(sizeof(double) == 8, "double has 64 bits");

double words(int k, double x)
{
    register double __attribute__((aligned(16))) s = 0;
    __const double *__restrict__ p = &x;
    static __thread int count __attribute__((unused));
    struct pair q = {*p, 2.0};
    _Static_assert(sizeof(int) == 4, "int has 32 bits");
    switch (k) {
    case 1 ... 3:
        s = 1;
        __attribute__((fallthrough));
    case 4:
        int half = k / 2;
        for (; half--;)
            s += x * x;
        break;
    default: ;
    }
    goto end;
end:
    double r = s * thrice(q.a) + twice(q.b);
    return r + _Alignof(double) + 0b101 + 0x1.8p1;
}

double chosen(double x, double y)
{
    float z = (float)x;
    y = (y++, x);
    int k = 0;
    k = (k++ && x > 0) ? 1 : 2;
    double g = _Generic(z, double: 100.0, float: 1.0, default: 10.0) * y;
    return g + _Generic(k, int: x, default: y) + sizeof(__typeof__(z)) + L'a';
}
