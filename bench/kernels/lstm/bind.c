#include "../bench.h"
#include "lstm.h"

static int steps, d, h;
static const double *w, *u, *bias, *v, *x, *y;
static double *w_b, *u_b, *bias_b, *v_b;
static struct room room;

static void bind(const struct point *point)
{
    size_t cells;
    steps = point_integer(point, "steps");
    d = point_integer(point, "d");
    h = point_integer(point, "h");
    cells = (size_t)h;
    w = point_array(point, "w");
    u = point_array(point, "u");
    bias = point_array(point, "bias");
    v = point_array(point, "v");
    x = point_array(point, "x");
    y = point_array(point, "y");
    w_b = add_result("w", 4 * cells * (size_t)d);
    u_b = add_result("u", 4 * cells * cells);
    bias_b = add_result("bias", 4 * cells);
    v_b = add_result("v", cells);
}

static double primal(void)
{
    return lstm(steps, d, h, w, u, bias, v, x, y);
}

static double gradient(void)
{
    return lstm_grad(steps, d, h, w, w_b, u, u_b, bias, bias_b, v, v_b, x, y, &room);
}

#ifdef EMITTED
#define lstm_grad lstm_emitted
#include EMITTED
#undef lstm_grad

static struct cfgrev_tape tape;

static double emitted(void)
{
    double value = 0.0;
    return lstm_emitted(steps, d, h, w, w_b, u, u_b, bias, bias_b, v, v_b, x, NULL, y,
                        NULL, &value, 1.0, &tape)
               ? NAN
               : value;
}
#else
#define emitted NULL
#endif

struct kernel kernel = {"lstm", bind, primal, gradient, emitted, {{0}}};
