//@ parse {"u": [1, 2, 0.3, 4, 0.2, 0.1, 3], "n": 7}
//@ hysteresis {"x": [0.1, 0.8, 0.9, 0.4, 0.2, 0.7], "n": 6, "p": {"lo": 0.3, "hi": 0.6, "gain": [1.5, 0.5]}}
//@ flags {"mask": 13, "x": [1.5, 2, 3, 4]}
/* State machines, flags, hysteresis. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
typedef enum { S_START, S_RUN, S_SLOW = 10, S_DONE } state_t;
double parse(const double *u, unsigned n)
{
    state_t st = S_START;
    double acc = 0.0, v = 1.0;
    unsigned i = 0;
    while (st != S_DONE) {
        switch (st) {
        case S_START: v = u[i]; st = S_RUN; break;
        case S_RUN:
            acc += v * u[i++];
            if (i >= n) st = S_DONE;
            else if (fabs(u[i]) < 0.5) st = S_SLOW;
            break;
        case S_SLOW:
            acc *= 1.0 + 0.1 * u[i];
            st = (++i < n) ? S_RUN : S_DONE;
            /* fall through */
        default:
            if (st == S_DONE) acc += 1;
        }
    }
    return acc;
}
struct params { double lo, hi, gain[2]; };
double hysteresis(const double x[], int n, struct params p)
{
    bool on = false;
    double y = 0;
    for (const double *q = x, *const e = x + n; q != e; ++q) {
        on = on ? *q > p.lo : *q >= p.hi;
        y = p.gain[on] * (*q - y) + y * 0.5;
    }
    return y;
}
enum { F_A = 1 << 0, F_B = 1 << 1, F_C = 1 << 2, F_D = 1 << 3 };
double flags(uint8_t mask, const double *x)
{
    double r = 1;
    for (uint8_t bit = 1, k = 0; bit && k < 4; bit <<= 1, ++k)
        if (mask & bit) r *= x[k];
        else r += x[k];
    if ((mask & (F_A | F_C)) == (F_A | F_C)) r = sqrt(r);
    switch (mask & ~F_A & 0xF) {
    case F_C | F_D: r *= 2; break;
    }
    return r;
}
