/* Bit-fields: what does not fit is cut to their width, with the sign that their types have. */
#include <stdbool.h>
#include <string.h>

enum mode { NONE, SLOW, FAST = 3 };

struct flags {
    unsigned on : 1, level : 3;
    int step : 4;
    enum mode mode : 2;
    bool done : 1;
    unsigned : 0;
    unsigned wide : 20, all : 32;
    signed char whole : 8;
    unsigned long small : 5;
};

struct edge {
    double w;
    struct flags is;
};

static double use(const struct edge *e, double x)
{
    double s = e->is.on ? e->w : x;
    switch (e->is.mode) {
    case SLOW: s += x; break;
    case FAST: s += x * x; break;
    default: s -= x;
    }
    if (!e->is.done && e->is.step < 0)
        s *= 2;
    return s * e->is.level + e->is.step * x + e->is.wide * 1e-3 + e->is.all % 7 + e->is.whole + e->is.small * x;
}

//@ cut {"k": 0, "x": 1.5}
//@ cut {"k": 1, "x": 1.5}
//@ cut {"k": 9, "x": 1.5}
//@ cut {"k": -1, "x": 1.5}
//@ cut {"k": 123456789, "x": 1.5}
double cut(int k, double x)
{
    struct edge e[2] = { { x, { 1, 9, 7, FAST, true, .wide = 1u << 20, .small = 33 } } };
    memset(&e[1], 0, sizeof e[1]);
    e[1].w = x * x;
    e[1].is.on = k;
    e[1].is.level = k + 2;
    e[1].is.step = k;
    e[1].is.mode = k & 3;
    e[1].is.done = k & 4;
    e[1].is.wide = -k;
    e[1].is.all = -k;
    e[1].is.whole = k;
    e[1].is.small = ~k;
    double s = use(e, x) + use(e + 1, x);
    e[0].is.on = ~e[0].is.on;
    e[0].is.level += 5;
    e[0].is.level++;
    e[0].is.step <<= 2;
    e[0].is.step -= k % 5;
    e[0].is.on ^= 1;
    e[0].is.wide -= 1;
    s += (e[1].is.level = 12) * x;
    s += (e[1].is.step--) * x;
    s += ++e[1].is.level;
    e[1].is.level = x * 3;
    /* Narrow ones are as int in an expression. */
    s += (e[1].is.level - 7 < 0 ? x : 0) + (e[0].is.wide - 2000000 < 0 ? x : 0) + (-e[0].is.on < 0 ? x : 0);
    struct edge copy = e[0];
    return s + use(&copy, x) + use(&e[1], x);
}

//@ given {"e": [{"w": 2, "is": {"on": 1, "level": 5, "step": -3, "mode": 3, "done": false, "wide": 9, "all": 4, "whole": -5, "small": 3}}], "x": 3}
double given(const struct edge *e, double x) { return use(e, x); }
