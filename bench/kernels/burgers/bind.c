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

struct kernel kernel = {"burgers", bind, primal, gradient, {{0}}};
