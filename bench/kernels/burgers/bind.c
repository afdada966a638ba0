#include "../bench.h"
#include "burgers.h"

static int n, steps;
static double c;
static const double *u0;
static double *c_b, *u0_b;
static struct room room;

static void bind(const struct point *point)
{
    n = point_integer(point, "n");
    steps = point_integer(point, "steps");
    c = point_real(point, "c");
    u0 = point_array(point, "u0");
    c_b = add_result("c", 1);
    u0_b = add_result("u0", (size_t)n);
}

static double primal(void)
{
    return burgers(n, steps, c, u0);
}

static double gradient(void)
{
    return burgers_grad(n, steps, c, c_b, u0, u0_b, &room);
}

#ifdef EMITTED
#define burgers_grad burgers_emitted
#include EMITTED
#undef burgers_grad

static struct cfgrev_tape tape;

static double emitted(void)
{
    double value = 0.0;
    return burgers_emitted(n, steps, c, c_b, u0, u0_b, &value, 1.0, &tape) ? NAN : value;
}
#else
#define emitted NULL
#endif

struct kernel kernel = {"burgers", bind, primal, gradient, emitted, {{0}}};
