#include "../bench.h"
#include "branchy.h"

static int n;
static const double *x;
static double *x_b;

static void bind(const struct point *point)
{
    n = point_integer(point, "n");
    x = point_array(point, "x");
    x_b = add_result("x", (size_t)n);
}

static double primal(void)
{
    return branchy(n, x);
}

static double gradient(void)
{
    return branchy_grad(n, x, x_b);
}

#ifdef EMITTED
#define branchy_grad branchy_emitted
#include EMITTED
#undef branchy_grad

static struct cfgrev_tape tape;

static double emitted(void)
{
    double value = 0.0;
    return branchy_emitted(n, x, x_b, &value, 1.0, &tape) ? NAN : value;
}
#else
#define emitted NULL
#endif

struct kernel kernel = {"branchy", bind, primal, gradient, emitted, {{0}}};
