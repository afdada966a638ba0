#include "../bench.h"
#include "lu_solve.h"

static int n;
static const double *a, *b;
static double *a_b, *b_b, *lu, *lu_b;

static void bind(const struct point *point)
{
    size_t size;
    n = point_integer(point, "n");
    size = (size_t)n * (size_t)n;
    a = point_array(point, "a");
    b = point_array(point, "b");
    a_b = add_result("a", size);
    b_b = add_result("b", (size_t)n);
    lu = allocate(size);
    lu_b = allocate(size);
}

static double primal(void)
{
    double f;
    lu_solve(n, a, b, lu, &f);
    return f;
}

static double gradient(void)
{
    double f;
    lu_solve_grad(n, a, a_b, b, b_b, lu, lu_b, &f);
    return f;
}

#ifdef EMITTED
#define lu_solve_grad lu_solve_emitted
#include EMITTED
#undef lu_solve_grad

static struct cfgrev_tape tape;

static double emitted(void)
{
    double value = 0.0;
    double seed = 1.0;
    return lu_solve_emitted(n, a, a_b, b, b_b, lu, lu_b, &value, &seed, &tape) ? NAN : value;
}
#else
#define emitted NULL
#endif

struct kernel kernel = {"lu_solve", bind, primal, gradient, emitted, {{0}}};
