#include "../bench.h"
#include "kmeans.h"

static int n, d, k;
static const double *c, *x;
static double *c_b;

static void bind(const struct point *point)
{
    n = point_integer(point, "n");
    d = point_integer(point, "d");
    k = point_integer(point, "k");
    c = point_array(point, "c");
    x = point_array(point, "x");
    c_b = add_result("c", (size_t)k * (size_t)d);
}

static double primal(void)
{
    return kmeans(n, d, k, c, x);
}

static double gradient(void)
{
    return kmeans_grad(n, d, k, c, c_b, x);
}

#ifdef EMITTED
#define kmeans_grad kmeans_emitted
#include EMITTED
#undef kmeans_grad

static struct cfgrev_tape tape;

static double emitted(void)
{
    double value = 0.0;
    return kmeans_emitted(n, d, k, c, c_b, x, NULL, &value, 1.0, &tape) ? NAN : value;
}
#else
#define emitted NULL
#endif

struct kernel kernel = {"kmeans", bind, primal, gradient, emitted, {{0}}};
