#include "../bench.h"
#include "rk4.h"

static int steps;
static double h;
static const double *p, *u0;
static double *p_b, *u0_b;
static struct room room;

static void bind(const struct point *point)
{
    steps = point_integer(point, "steps");
    h = point_real(point, "h");
    p = point_array(point, "p");
    u0 = point_array(point, "u0");
    p_b = add_result("p", 4);
    u0_b = add_result("u0", 2);
}

static double primal(void)
{
    return rk4(steps, h, p, u0);
}

static double gradient(void)
{
    return rk4_grad(steps, h, p, p_b, u0, u0_b, &room);
}

#ifdef EMITTED
#define rk4_grad rk4_emitted
#include EMITTED
#undef rk4_grad

static struct cfgrev_tape tape;

static double emitted(void)
{
    double value = 0.0;
    return rk4_emitted(steps, h, NULL, p, p_b, u0, u0_b, &value, 1.0, &tape) ? NAN : value;
}
#else
#define emitted NULL
#endif

struct kernel kernel = {"rk4", bind, primal, gradient, emitted, {{0}}};
