#include "../bench.h"
#include "helmholtz.h"

static int m, n;
static double t;
static const double *a, *b, *x;
static double *t_b, *x_b;

static void bind(const struct point *point)
{
    m = point_integer(point, "m");
    n = point_integer(point, "n");
    t = point_real(point, "t");
    a = point_array(point, "a");
    b = point_array(point, "b");
    x = point_array(point, "x");
    t_b = add_result("t", 1);
    x_b = add_result("x", (size_t)m * (size_t)n);
}

static double primal(void)
{
    return helmholtz(m, n, t, a, b, x);
}

static double gradient(void)
{
    return helmholtz_grad(m, n, t, t_b, a, b, x, x_b);
}

#ifdef EMITTED
#define helmholtz_grad helmholtz_emitted
#include EMITTED
#undef helmholtz_grad

static struct cfgrev_tape tape;

static double emitted(void)
{
    double value = 0.0;
    return helmholtz_emitted(m, n, t, t_b, a, NULL, b, NULL, x, x_b, &value, 1.0, &tape) ? NAN : value;
}
#else
#define emitted NULL
#endif

struct kernel kernel = {"helmholtz", bind, primal, gradient, emitted, {{0}}};
