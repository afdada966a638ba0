//@ f {"n":4,"x":[0.5,0.7,1.1,1.3]}
#include <math.h>
/* Structures that are kept, with initial values, and change. */
struct param { double gain, bias; int order[3]; };
static struct param now = { .gain = 2.0, .order = { 1, 2, 3 } };
static struct param all[3] = { { 1, 0.5, { 2 } }, [2] = { 3, 0.25, { 1, 1, 1 } } };
struct pair { struct param a; double w[2]; } both = { { 0.5, 0.1 }, { 1.5, 2.5 } };
static double step(double x)
{
    static struct { double last; int count; } memory = { 0.75, 1 };
    double y = x * memory.last + memory.count++;
    memory.last = 0.5 * (memory.last + x);
    return y;
}
double f(int n, const double *x)
{
    double y = 0;
    for (int i = 0; i < n; i++) {
        struct param *p = &all[i % 3];
        y += p->gain * step(x[i]) + p->bias * now.gain;
        p->gain += 0.1 * x[i];
        now.gain *= 1.1;
        now.order[i % 3]++;
        both.w[i % 2] += y * both.a.gain;
    }
    return y + both.w[0] * both.w[1] + now.order[0] + sin(all[0].gain);
}
