//@ euler {"n":5,"steps":2,"rho":[1.0,1.0,0.8,0.125,0.125],"m":[0.1,0.2,0.15,0.05,0.0],"e":[2.5,2.4,1.5,0.25,0.25],"cfl":0.2}
/* The Euler equations in one dimension with Roe's flux and an entropy fix. */
#include <math.h>
#define GAMMA 1.4
typedef struct { double u[3]; } State;
static double pressure(const State *s) { return (GAMMA - 1) * (s->u[2] - 0.5 * s->u[1] * s->u[1] / s->u[0]); }
static void flux(const State *s, double *f)
{
    double v = s->u[1] / s->u[0], p = pressure(s);
    f[0] = s->u[1];
    f[1] = s->u[1] * v + p;
    f[2] = (s->u[2] + p) * v;
}
static double fixed(double l, double eps) { return fabs(l) < eps ? 0.5 * (l * l / eps + eps) : fabs(l); }
static void roe(const State *l, const State *r, double *f)
{
    double fl[3], fr[3], wl = sqrt(l->u[0]), wr = sqrt(r->u[0]), w = wl + wr;
    flux(l, fl);
    flux(r, fr);
    double v = (wl * l->u[1] / l->u[0] + wr * r->u[1] / r->u[0]) / w;
    double h = (wl * (l->u[2] + pressure(l)) / l->u[0] + wr * (r->u[2] + pressure(r)) / r->u[0]) / w;
    double c2 = (GAMMA - 1) * (h - 0.5 * v * v), c = sqrt(c2), d[3], a[3], lambda[3];
    for (int k = 0; k < 3; k++) d[k] = r->u[k] - l->u[k];
    a[1] = (GAMMA - 1) / c2 * (d[0] * (h - v * v) + v * d[1] - d[2]);
    a[0] = (d[0] * (v + c) - d[1] - c * a[1]) / (2 * c);
    a[2] = d[0] - a[0] - a[1];
    lambda[0] = fixed(v - c, 0.1 * c);
    lambda[1] = fixed(v, 0.1 * c);
    lambda[2] = fixed(v + c, 0.1 * c);
    double k[3][3] = {{1, v - c, h - v * c}, {1, v, 0.5 * v * v}, {1, v + c, h + v * c}};
    for (int i = 0; i < 3; i++) {
        f[i] = 0.5 * (fl[i] + fr[i]);
        for (int j = 0; j < 3; j++) f[i] -= 0.5 * lambda[j] * a[j] * k[j][i];
    }
}
double euler(int n, int steps, const double *rho, const double *m, const double *e, double cfl)
{
    State s[n];
    double f[n + 1][3], sum = 0;
    for (int i = 0; i < n; i++) s[i] = (State){{rho[i], m[i], e[i]}};
    for (int t = 0; t < steps; t++) {
        double fastest = 0;
        for (const State *p = s; p < s + n; p++) {
            double speed = fabs(p->u[1] / p->u[0]) + sqrt(GAMMA * pressure(p) / p->u[0]);
            if (speed > fastest) fastest = speed;
        }
        double dt = cfl / fastest;
        flux(&s[0], f[0]);
        for (int i = 1; i < n; i++) roe(&s[i - 1], &s[i], f[i]);
        flux(&s[n - 1], f[n]);
        for (int i = 0; i < n; i++)
            for (int k = 0; k < 3; k++) s[i].u[k] -= dt * (f[i + 1][k] - f[i][k]);
    }
    for (int i = 0; i < n; i++) sum += pressure(&s[i]) * (i + 1);
    return sum;
}
