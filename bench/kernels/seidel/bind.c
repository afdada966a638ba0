#include "../bench.h"
#include "seidel.h"

static int n, sweeps;
static const double *u0;
static double *u0_b, *u, *u_b;

static void bind(const struct point *point)
{
    size_t size;
    n = point_integer(point, "n");
    sweeps = point_integer(point, "sweeps");
    size = (size_t)n * (size_t)n;
    u0 = point_array(point, "u0");
    u0_b = add_result("u0", size);
    u = allocate(size);
    u_b = allocate(size);
}

static double primal(void)
{
    double f;
    seidel(n, sweeps, u0, u, &f);
    return f;
}

static double gradient(void)
{
    double f;
    seidel_grad(n, sweeps, u0, u0_b, u, u_b, &f);
    return f;
}

#ifdef EMITTED
#define seidel_grad seidel_emitted
#include EMITTED
#undef seidel_grad

static struct cfgrev_tape tape;

static double emitted(void)
{
    double value = 0.0;
    double seed = 1.0;
    return seidel_emitted(n, sweeps, u0, u0_b, u, u_b, &value, &seed, &tape) ? NAN : value;
}
#else
#define emitted NULL
#endif

struct kernel kernel = {"seidel", bind, primal, gradient, emitted, {{0}}};
