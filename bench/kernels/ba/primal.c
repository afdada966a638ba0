#include "ba.h"

#include <math.h>

/* y is x turned about the vector r by its length (Rodrigues' formula; to first order for a vector near zero). */
static void rotate(const double *r, const double *x, double *y)
{
    const double square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    if (square > 1.0e-20) {
        const double angle = sqrt(square), c = cos(angle), s = sin(angle);
        const double e[3] = {r[0] / angle, r[1] / angle, r[2] / angle};
        const double along = (e[0] * x[0] + e[1] * x[1] + e[2] * x[2]) * (1.0 - c);
        y[0] = x[0] * c + (e[1] * x[2] - e[2] * x[1]) * s + e[0] * along;
        y[1] = x[1] * c + (e[2] * x[0] - e[0] * x[2]) * s + e[1] * along;
        y[2] = x[2] * c + (e[0] * x[1] - e[1] * x[0]) * s + e[2] * along;
    } else {
        y[0] = x[0] + (r[1] * x[2] - r[2] * x[1]);
        y[1] = x[1] + (r[2] * x[0] - r[0] * x[2]);
        y[2] = x[2] + (r[0] * x[1] - r[1] * x[0]);
    }
}

/* Where a camera shows a point: rotation vector, centre, focal length, principal point, two coefficients of radial
 * distortion. */
static void project(const double *camera, const double *point, double *at)
{
    double ray[3], turned[3];
    for (int k = 0; k < 3; k++)
        ray[k] = point[k] - camera[k + 3];
    rotate(camera, ray, turned);
    const double u = turned[0] / turned[2], v = turned[1] / turned[2];
    const double square = u * u + v * v;
    const double scale = camera[6] * (1.0 + camera[9] * square + camera[10] * square * square);
    at[0] = camera[7] + scale * u;
    at[1] = camera[8] + scale * v;
}

/* The weighted difference of an observation. */
static void residual(const double *camera, const double *point, double weight, const double *seen, double *e)
{
    double at[2];
    project(camera, point, at);
    e[0] = weight * (at[0] - seen[0]);
    e[1] = weight * (at[1] - seen[1]);
}

double ba(int n, int m, int p, const double *cameras, const double *points, const double *weights,
          const int *camera_of, const int *point_of, const double *seen)
{
    double f = 0.0, e[2];
    (void)n;
    (void)m;
    for (int i = 0; i < p; i++) {
        residual(&cameras[11 * camera_of[i]], &points[3 * point_of[i]], weights[i], &seen[2 * i], e);
        f += 0.5 * (e[0] * e[0] + e[1] * e[1]);
    }
    return f;
}
