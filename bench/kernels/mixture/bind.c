#include "../bench.h"
#include "mixture.h"

static int n, d, m;
static const double *alpha, *mu, *q, *l, *x;
static double *alpha_b, *mu_b, *q_b, *l_b;

static void bind(const struct point *point)
{
    size_t md;
    n = point_integer(point, "n");
    d = point_integer(point, "d");
    m = point_integer(point, "m");
    md = (size_t)m * (size_t)d;
    alpha = point_array(point, "alpha");
    mu = point_array(point, "mu");
    q = point_array(point, "q");
    l = point_array(point, "l");
    x = point_array(point, "x");
    alpha_b = add_result("alpha", (size_t)m);
    mu_b = add_result("mu", md);
    q_b = add_result("q", md);
    l_b = add_result("l", md * (size_t)d);
}

static double primal(void)
{
    return mixture(n, d, m, alpha, mu, q, l, x);
}

static double gradient(void)
{
    return mixture_grad(n, d, m, alpha, alpha_b, mu, mu_b, q, q_b, l, l_b, x);
}

#ifdef EMITTED
#define mixture_grad mixture_emitted
#include EMITTED
#undef mixture_grad

static struct cfgrev_tape tape;

static double emitted(void)
{
    double value = 0.0;
    return mixture_emitted(n, d, m, alpha, alpha_b, mu, mu_b, q, q_b, l, l_b, x, NULL, &value, 1.0, &tape) ? NAN : value;
}
#else
#define emitted NULL
#endif

struct kernel kernel = {"mixture", bind, primal, gradient, emitted, {{0}}};
