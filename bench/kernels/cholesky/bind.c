#include "../bench.h"
#include "cholesky.h"

static int n;
static const double *a, *b;
static double *a_b, *b_b, *l, *l_b;

static void bind(const struct point *point)
{
    n = point_integer(point, "n");
    a = point_array(point, "a");
    b = point_array(point, "b");
    a_b = add_result("a", (size_t)n * (size_t)n);
    b_b = add_result("b", (size_t)n);
    l = allocate((size_t)n * (size_t)n);
    l_b = allocate((size_t)n * (size_t)n);
}

static double primal(void)
{
    double f;
    cholesky(n, a, b, l, &f);
    return f;
}

static double gradient(void)
{
    double f;
    cholesky_grad(n, a, a_b, b, b_b, l, l_b, &f);
    return f;
}

#ifdef EMITTED
#define cholesky_grad cholesky_emitted
#include EMITTED
#undef cholesky_grad

static struct cfgrev_tape tape;

static double emitted(void)
{
    double value = 0.0;
    double seed = 1.0;
    return cholesky_emitted(n, a, a_b, b, b_b, l, l_b, &value, &seed, &tape) ? NAN : value;
}
#else
#define emitted NULL
#endif

struct kernel kernel = {"cholesky", bind, primal, gradient, emitted, {{0}}};
