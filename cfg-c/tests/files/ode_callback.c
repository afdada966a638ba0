//@ final_state {"mu":1.5,"omega":1.1,"y0":[1,0.5],"steps":20,"tend":2}
/* Adaptive Runge-Kutta-Fehlberg integrator with a callback and user data. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int (*rhs_fn)(double t, const double *y, double *dydt, void *params);

typedef struct {
    rhs_fn f;
    size_t dim;
    void *params;
} ode_system;

typedef struct {
    double mu;
    double omega;
} vdp_params;

static int van_der_pol(double t, const double *y, double *dydt, void *params)
{
    const vdp_params *p = (const vdp_params *)params;
    (void)t;
    dydt[0] = y[1];
    dydt[1] = p->mu * (1.0 - y[0] * y[0]) * y[1] - p->omega * y[0];
    return 0;
}

static int rk4_step(const ode_system *sys, double t, double h, double *y)
{
    size_t n = sys->dim;
    double *work = malloc(5 * n * sizeof(double));
    if (!work)
        return -1;
    double *k1 = work, *k2 = k1 + n, *k3 = k2 + n, *k4 = k3 + n, *tmp = k4 + n;
    int status = 0;
    if ((status = sys->f(t, y, k1, sys->params)) != 0)
        goto done;
    for (size_t i = 0; i < n; ++i)
        tmp[i] = y[i] + 0.5 * h * k1[i];
    if ((status = sys->f(t + 0.5 * h, tmp, k2, sys->params)) != 0)
        goto done;
    for (size_t i = 0; i < n; ++i)
        tmp[i] = y[i] + 0.5 * h * k2[i];
    if ((status = sys->f(t + 0.5 * h, tmp, k3, sys->params)) != 0)
        goto done;
    for (size_t i = 0; i < n; ++i)
        tmp[i] = y[i] + h * k3[i];
    if ((status = sys->f(t + h, tmp, k4, sys->params)) != 0)
        goto done;
    for (size_t i = 0; i < n; ++i)
        y[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
done:
    free(work);
    return status;
}

double final_state(double mu, double omega, const double *y0, int steps, double tend)
{
    vdp_params p = { .mu = mu, .omega = omega };
    ode_system sys = { van_der_pol, 2, &p };
    double y[2];
    memcpy(y, y0, sizeof y);
    double t = 0.0, h = tend / steps;
    for (int s = 0; s < steps; s++) {
        if (rk4_step(&sys, t, h, y) != 0) {
            fprintf(stderr, "step failed at t=%g\n", t);
            return NAN;
        }
        t += h;
    }
    return y[0] + 0.1 * y[1];
}
