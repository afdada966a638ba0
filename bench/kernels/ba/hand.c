#include "ba.h"

#include <math.h>

/* Observations are reversed so many at a time: the loop over a batch has no branches or calls and is vectorised, and
 * the reverse of one observation does not wait for its forward sweep. Each by itself takes 1.4 times as long. */
#define BATCH 64

/* The turn of a camera as a matrix, and the sums over its observations from which its adjoint follows at the end: the
 * adjoint g of the turned ray times the ray x, that of the ray before it is turned back, that of the image, and that of
 * the scale times the powers of the squared distance. */
struct camera {
    double turn[9], outer[9], ray[3], at[2], scale[3];
};

/* What a batch keeps: of the forward sweep all but the last three. */
struct batch {
    double u[BATCH], v[BATCH], y2[BATCH], x0[BATCH], x1[BATCH], x2[BATCH], scale[BATCH], bend[BATCH], at0[BATCH],
        at1[BATCH], scale_b[BATCH], g0[BATCH], g1[BATCH], g2[BATCH];
};

/* The turn of `rotate` as a matrix, once for each camera. */
static void start(const double *restrict r, struct camera *restrict camera)
{
    const double square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    double c = 1.0, s0 = r[0], s1 = r[1], s2 = r[2], e[3] = {0.0, 0.0, 0.0};
    if (square > 1.0e-20) {
        const double angle = sqrt(square), s = sin(angle);
        c = cos(angle);
        for (int k = 0; k < 3; k++)
            e[k] = r[k] / angle;
        s0 = e[0] * s;
        s1 = e[1] * s;
        s2 = e[2] * s;
    }
    *camera = (struct camera){{0.0}, {0.0}, {0.0}, {0.0}, {0.0}};
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 3; j++)
            camera->turn[3 * k + j] = e[k] * e[j] * (1.0 - c) + (k == j ? c : 0.0);
    camera->turn[1] -= s2;
    camera->turn[2] += s1;
    camera->turn[3] += s2;
    camera->turn[5] -= s0;
    camera->turn[6] -= s1;
    camera->turn[7] += s0;
}

/* The adjoint of one camera from its sums. */
static void finish(const double *restrict r, const struct camera *restrict camera, double *restrict r_b)
{
    const double *m = camera->outer, *ray = camera->ray, *scale = camera->scale, *turn = camera->turn;
    const double square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    /* the sum of x × g */
    const double cross[3] = {m[7] - m[5], m[2] - m[6], m[3] - m[1]};
    if (square > 1.0e-20) {
        const double angle = sqrt(square), c = cos(angle), s = sin(angle);
        const double e[3] = {r[0] / angle, r[1] / angle, r[2] / angle};
        double me[3], em[3], e_b[3];
        for (int k = 0; k < 3; k++) {
            me[k] = m[3 * k] * e[0] + m[3 * k + 1] * e[1] + m[3 * k + 2] * e[2];
            em[k] = m[k] * e[0] + m[3 + k] * e[1] + m[6 + k] * e[2];
            e_b[k] = cross[k] * s + (1.0 - c) * (me[k] + em[k]);
        }
        const double c_b = m[0] + m[4] + m[8] - (me[0] * e[0] + me[1] * e[1] + me[2] * e[2]);
        const double s_b = cross[0] * e[0] + cross[1] * e[1] + cross[2] * e[2];
        const double angle_b = s_b * c - c_b * s - (e_b[0] * e[0] + e_b[1] * e[1] + e_b[2] * e[2]) / angle;
        for (int k = 0; k < 3; k++)
            r_b[k] += e_b[k] / angle + angle_b * e[k];
    } else {
        for (int k = 0; k < 3; k++)
            r_b[k] += cross[k];
    }
    for (int k = 0; k < 3; k++)
        r_b[k + 3] -= turn[k] * ray[0] + turn[3 + k] * ray[1] + turn[6 + k] * ray[2];
    r_b[6] += scale[0] + r[9] * scale[1] + r[10] * scale[2];
    r_b[7] += camera->at[0];
    r_b[8] += camera->at[1];
    r_b[9] += r[6] * scale[1];
    r_b[10] += r[6] * scale[2];
}

/* From the adjoints of the image to those of the scale and of the turned ray, for a whole batch. */
static void reverse(struct batch *restrict b)
{
    for (int i = 0; i < BATCH; i++) {
        const double u = b->u[i], v = b->v[i], at0 = b->at0[i], at1 = b->at1[i];
        const double scale_b = at0 * u + at1 * v, twice = scale_b * b->bend[i], inverse = 1.0 / b->y2[i];
        const double g0 = (at0 * b->scale[i] + twice * u) * inverse, g1 = (at1 * b->scale[i] + twice * v) * inverse;
        b->scale_b[i] = scale_b;
        b->g0[i] = g0;
        b->g1[i] = g1;
        b->g2[i] = -(u * g0 + v * g1);
    }
}

double ba_grad(int n, int m, int p, const double *restrict cameras, double *restrict cameras_b,
               const double *restrict points, double *restrict points_b, const double *restrict weights,
               double *restrict weights_b, const int *restrict camera_of, const int *restrict point_of,
               const double *restrict seen)
{
    struct camera all[n];
    struct batch b;
    double f = 0.0;
    (void)m;
    for (int i = 0; i < n; i++)
        start(cameras + 11 * i, all + i);
    for (int i = 0; i < BATCH; i++) {
        b.u[i] = b.v[i] = b.scale[i] = b.bend[i] = b.at0[i] = b.at1[i] = 0.0;
        b.y2[i] = 1.0;
    }
    for (int first = 0; first < p; first += BATCH) {
        const int count = p - first < BATCH ? p - first : BATCH;
        for (int i = 0; i < count; i++) {
            const double *restrict r = cameras + 11 * camera_of[first + i];
            const double *restrict point = points + 3 * point_of[first + i];
            const double x0 = point[0] - r[3], x1 = point[1] - r[4], x2 = point[2] - r[5];
            const double length = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
            double y0, y1, y2;
            if (length > 1.0e-20) {
                const double angle = sqrt(length), c = cos(angle), s = sin(angle);
                const double e0 = r[0] / angle, e1 = r[1] / angle, e2 = r[2] / angle;
                const double along = (e0 * x0 + e1 * x1 + e2 * x2) * (1.0 - c);
                y0 = x0 * c + (e1 * x2 - e2 * x1) * s + e0 * along;
                y1 = x1 * c + (e2 * x0 - e0 * x2) * s + e1 * along;
                y2 = x2 * c + (e0 * x1 - e1 * x0) * s + e2 * along;
            } else {
                y0 = x0 + (r[1] * x2 - r[2] * x1);
                y1 = x1 + (r[2] * x0 - r[0] * x2);
                y2 = x2 + (r[0] * x1 - r[1] * x0);
            }
            const double u = y0 / y2, v = y1 / y2;
            const double square = u * u + v * v;
            const double scale = r[6] * (1.0 + r[9] * square + r[10] * square * square);
            const double weight = weights[first + i];
            const double d0 = (r[7] + scale * u) - seen[2 * (first + i)];
            const double d1 = (r[8] + scale * v) - seen[2 * (first + i) + 1];
            const double f0 = weight * d0, f1 = weight * d1;
            f += 0.5 * (f0 * f0 + f1 * f1);
            weights_b[first + i] += f0 * d0 + f1 * d1;
            b.u[i] = u;
            b.v[i] = v;
            b.y2[i] = y2;
            b.x0[i] = x0;
            b.x1[i] = x1;
            b.x2[i] = x2;
            b.scale[i] = scale;
            b.bend[i] = 2.0 * r[6] * (r[9] + 2.0 * r[10] * square);
            b.at0[i] = weight * f0;
            b.at1[i] = weight * f1;
        }
        reverse(&b);
        for (int i = 0; i < count; i++) {
            struct camera *restrict to = all + camera_of[first + i];
            double *restrict point_b = points_b + 3 * point_of[first + i];
            const double *restrict turn = to->turn;
            const double x0 = b.x0[i], x1 = b.x1[i], x2 = b.x2[i], g0 = b.g0[i], g1 = b.g1[i], g2 = b.g2[i];
            const double square = b.u[i] * b.u[i] + b.v[i] * b.v[i], once = b.scale_b[i] * square;
            point_b[0] += turn[0] * g0 + turn[3] * g1 + turn[6] * g2;
            point_b[1] += turn[1] * g0 + turn[4] * g1 + turn[7] * g2;
            point_b[2] += turn[2] * g0 + turn[5] * g1 + turn[8] * g2;
            to->outer[0] += g0 * x0;
            to->outer[1] += g0 * x1;
            to->outer[2] += g0 * x2;
            to->outer[3] += g1 * x0;
            to->outer[4] += g1 * x1;
            to->outer[5] += g1 * x2;
            to->outer[6] += g2 * x0;
            to->outer[7] += g2 * x1;
            to->outer[8] += g2 * x2;
            to->ray[0] += g0;
            to->ray[1] += g1;
            to->ray[2] += g2;
            to->at[0] += b.at0[i];
            to->at[1] += b.at1[i];
            to->scale[0] += b.scale_b[i];
            to->scale[1] += once;
            to->scale[2] += once * square;
        }
    }
    for (int i = 0; i < n; i++)
        finish(cameras + 11 * i, all + i, cameras_b + 11 * i);
    return f;
}
