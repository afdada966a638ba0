#include "../bench.h"
#include "newton.h"

static int n;
static const double *a;
static double b;
static double *a_b, *b_b;

static void bind(const struct point *point)
{
    n = point_integer(point, "n");
    a = point_array(point, "a");
    b = point_real(point, "b");
    a_b = add_result("a", (size_t)n);
    b_b = add_result("b", 1);
}

static double primal(void)
{
    return newton(n, a, b);
}

static double gradient(void)
{
    return newton_grad(n, a, a_b, b, b_b);
}

#ifdef EMITTED
#define newton_grad newton_emitted
#include EMITTED
#undef newton_grad

static struct cfgrev_tape tape;

static double emitted(void)
{
    double value = 0.0;
    return newton_emitted(n, a, a_b, b, b_b, &value, 1.0, &tape) ? NAN : value;
}
#else
#define emitted NULL
#endif

struct kernel kernel = {"newton", bind, primal, gradient, emitted, {{0}}};
