//@ spline_misfit {"n":5,"x":[0,1,2.2,3,4],"y":[0,1,0.5,-0.3,0.7],"m":3,"t":[0.4,1.7,3.3],"obs":[0.1,0.2,0.3]}
#include <stdlib.h>
#include <assert.h>

struct spline {
    int n;
    double *x, *y, *m;
};

static struct spline *spline_create(const double *x, const double *y, int n)
{
    struct spline *s = malloc(sizeof(struct spline));
    assert(s != NULL && n > 2);
    s->n = n;
    s->x = malloc(3 * n * sizeof(double));
    s->y = s->x + n;
    s->m = s->y + n;
    for (int i = 0; i < n; i++) {
        s->x[i] = x[i];
        s->y[i] = y[i];
    }
    double *u = malloc(n * sizeof(double)), *z = malloc(n * sizeof(double));
    u[0] = z[0] = 0.0;
    for (int i = 1; i < n - 1; i++) {
        double hl = x[i] - x[i - 1], hr = x[i + 1] - x[i];
        double al = 3.0 * ((y[i + 1] - y[i]) / hr - (y[i] - y[i - 1]) / hl);
        double l = 2.0 * (x[i + 1] - x[i - 1]) - hl * u[i - 1];
        u[i] = hr / l;
        z[i] = (al - hl * z[i - 1]) / l;
    }
    s->m[n - 1] = 0.0;
    for (int i = n - 2; i >= 0; i--)
        s->m[i] = z[i] - u[i] * s->m[i + 1];
    free(u);
    free(z);
    return s;
}

static void spline_destroy(struct spline *s)
{
    if (s) {
        free(s->x);
        free(s);
    }
}

static double spline_eval(const struct spline *s, double t)
{
    int lo = 0, hi = s->n - 1;
    while (hi - lo > 1) {
        int mid = (lo + hi) / 2;
        if (s->x[mid] > t)
            hi = mid;
        else
            lo = mid;
    }
    double h = s->x[hi] - s->x[lo], d = t - s->x[lo];
    double b = (s->y[hi] - s->y[lo]) / h - h * (s->m[hi] + 2.0 * s->m[lo]) / 3.0;
    double c = (s->m[hi] - s->m[lo]) / (3.0 * h);
    return s->y[lo] + d * (b + d * (s->m[lo] + d * c));
}

double spline_misfit(int n, const double *x, const double *y, int m, const double *t, const double *obs)
{
    struct spline *s = spline_create(x, y, n);
    double sum = 0.0;
    for (int j = 0; j < m; j++) {
        double r = spline_eval(s, t[j]) - obs[j];
        sum += r * r;
    }
    spline_destroy(s);
    return sum;
}
