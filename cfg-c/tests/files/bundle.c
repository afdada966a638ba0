//@ reproject {"c":[{"r":[0.3,-0.2,0.5],"center":[0.1,0.2,-3.0],"f":500.0,"principal":[10.0,20.0],"radial":[0.01,-0.002]}],"x":[0.5,0.25,4.0],"w":0.75,"feature":[30.0,40.0],"error":[0.0,0.0]}
//@ reproject {"c":[{"r":[1e-9,0.0,0.0],"center":[0.1,0.2,-3.0],"f":500.0,"principal":[10.0,20.0],"radial":[0.01,-0.002]}],"x":[0.5,0.25,4.0],"w":0.75,"feature":[30.0,40.0],"error":[0.0,0.0]} --fd-tolerance 1e-3
/* Reprojection error of bundle adjustment: a rotation by Rodrigues' formula, a pinhole, radial distortion. */
#include <math.h>
typedef struct { double r[3], center[3], f, principal[2], radial[2]; } Camera;
static void cross(const double *a, const double *b, double *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}
static void rotate(const double *r, const double *x, double *out)
{
    double square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2], w[3], wx[3];
    if (square > 1e-12) {
        double theta = sqrt(square), c = cos(theta), s = sin(theta);
        for (int i = 0; i < 3; i++) w[i] = r[i] / theta;
        cross(w, x, wx);
        double t = (w[0] * x[0] + w[1] * x[1] + w[2] * x[2]) * (1.0 - c);
        for (int i = 0; i < 3; i++) out[i] = x[i] * c + wx[i] * s + w[i] * t;
    } else {
        cross(r, x, wx);
        for (int i = 0; i < 3; i++) out[i] = x[i] + wx[i];
    }
}
static void distort(const double *radial, double *p)
{
    double square = p[0] * p[0] + p[1] * p[1];
    double l = 1.0 + radial[0] * square + radial[1] * square * square;
    p[0] *= l, p[1] *= l;
}
void reproject(const Camera *c, const double *x, double w, const double *feature, double *error)
{
    double moved[3], turned[3], p[2];
    for (int i = 0; i < 3; i++) moved[i] = x[i] - c->center[i];
    rotate(c->r, moved, turned);
    p[0] = turned[0] / turned[2];
    p[1] = turned[1] / turned[2];
    distort(c->radial, p);
    for (int i = 0; i < 2; i++) error[i] = w * (p[i] * c->f + c->principal[i] - feature[i]);
}
