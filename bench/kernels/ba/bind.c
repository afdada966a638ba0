#include "../bench.h"
#include "ba.h"

#include <stdlib.h>

static int n, m, p;
static const double *cameras, *points, *weights, *seen;
static int *camera_of, *point_of;
static double *cameras_b, *points_b, *weights_b;

/* The driver reads all numbers as doubles. */
static int *integers(const struct point *point, const char *name, int size)
{
    const double *values = point_array(point, name);
    int *found = malloc((size_t)(size > 0 ? size : 1) * sizeof *found);
    for (int i = 0; found != NULL && i < size; i++)
        found[i] = (int)values[i];
    return found;
}

static void bind(const struct point *point)
{
    n = point_integer(point, "n");
    m = point_integer(point, "m");
    p = point_integer(point, "p");
    cameras = point_array(point, "cameras");
    points = point_array(point, "points");
    weights = point_array(point, "weights");
    seen = point_array(point, "seen");
    camera_of = integers(point, "camera_of", p);
    point_of = integers(point, "point_of", p);
    cameras_b = add_result("cameras", 11 * (size_t)n);
    points_b = add_result("points", 3 * (size_t)m);
    weights_b = add_result("weights", (size_t)p);
}

static double primal(void)
{
    return ba(n, m, p, cameras, points, weights, camera_of, point_of, seen);
}

static double gradient(void)
{
    return ba_grad(n, m, p, cameras, cameras_b, points, points_b, weights, weights_b, camera_of, point_of, seen);
}

#ifdef EMITTED
#define ba_grad ba_emitted
#include EMITTED
#undef ba_grad

static struct cfgrev_tape tape;

static double emitted(void)
{
    double value = 0.0;
    return ba_emitted(n, m, p, cameras, cameras_b, points, points_b, weights, weights_b, camera_of, point_of,
                      seen, NULL, &value, 1.0, &tape)
               ? NAN
               : value;
}
#else
#define emitted NULL
#endif

struct kernel kernel = {"ba", bind, primal, gradient, emitted, {{0}}};
