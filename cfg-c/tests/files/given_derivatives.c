/* Functions whose derivatives are given: by expressions, and by functions that compute the adjoint and the tangent. */
#include <math.h>

/* A polynomial in t, whose derivative is another function. */
static double lookup(double t) { return t * t * (3.0 - t); }
static double lookup_derivative(double t) { return t * (6.0 - 3.0 * t); }

static double wave(double x, int k, float y) { return x * sin(k * x) + y * y; }

static double blend(int n, const double *w, double t)
{
    double s = 0, p = 1;
    for (int i = 0; i < n; i++) {
        s += w[i] * p;
        p *= t;
    }
    return s;
}

static void blend_b(int n, const double *w, double *w_b, double t, double *t_b, double value_b)
{
    double p = 1, q = 0;
    for (int i = 0; i < n; i++) {
        w_b[i] += p * value_b;
        *t_b += value_b * w[i] * i * q;
        q = p;
        p *= t;
    }
}

static void blend_t(int n, const double *w, const double *w_t, double t, double t_t, double *value, double *value_t)
{
    double p = 1, q = 0;
    *value = 0;
    *value_t = 0;
    for (int i = 0; i < n; i++) {
        *value += w[i] * p;
        *value_t += w_t[i] * p + w[i] * i * q * t_t;
        q = p;
        p *= t;
    }
}

static void scale(double *a, int n, double c)
{
    for (int i = 0; i < n; i++)
        a[i] *= c;
}

static void scale_b(double *a, double *a_b, int n, double c, double *c_b)
{
    for (int i = 0; i < n; i++) {
        *c_b += a_b[i] * a[i];
        a_b[i] *= c;
    }
}

static void scale_t(double *a, double *a_t, int n, double c, double c_t)
{
    for (int i = 0; i < n; i++) {
        a_t[i] = a_t[i] * c + a[i] * c_t;
        a[i] *= c;
    }
}

#pragma cfgrev external(lookup) partial(t: lookup_derivative(t))
#pragma cfgrev external(wave) partial(x: sin(k * x) + k * x * cos(k * x), y: 2 * y)
#pragma cfgrev external(blend) adjoint(blend_b) tangent(blend_t) external(scale) adjoint(scale_b) \
    tangent(scale_t)

//@ sum_of_lookups {"n": 3, "x": [1.5, 0.7, -0.2]}
double sum_of_lookups(int n, const double *x)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += x[i] * lookup(x[i] * x[0]);
    return s;
}

//@ waves {"x": 0.8, "y": 1.25}
double waves(double x, double y)
{
    double s = wave(x * y, 3, 0.5f);
    for (int k = 1; k < 4; k++)
        s = wave(s, k, 1.5f) * x;
    return s;
}

//@ blended {"n": 3, "w": [1.0, 2.0, 3.0], "t": 0.7, "c": 1.5}
double blended(int n, const double *w, double t, double c)
{
    double a[3] = {t, t * t, t * c};
    scale(a, 3, c);
    scale(a + 1, 2, a[0]);
    return blend(n, w, t * 2) * a[0] + a[1] * a[2];
}
