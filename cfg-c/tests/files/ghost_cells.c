//@ advect {"n":6,"u0":[0.13,0.52,0.87,0.41,0.23,0.17],"a":1.1,"tend":0.11,"flux":0,"limiter":0}
//@ advect {"n":6,"u0":[0.13,0.52,0.87,0.41,0.23,0.17],"a":1.1,"tend":0.11,"flux":1,"limiter":1}
#include <math.h>
#include <stdlib.h>
#include <stdbool.h>
#include <string.h>
/* A finite-volume solver with options in a structure, flux functions by a table, limiter by an enumeration, ghost cells by pointer offset. */
typedef enum { MINMOD, SUPERBEE, NONE } limiter_t;
typedef struct { int cells; double length, cfl; limiter_t limiter; bool periodic; int flux; } options;
typedef double (*flux_fn)(double ul, double ur, double a);
static double upwind(double ul, double ur, double a) { return a > 0 ? a * ul : a * ur; }
static double lax(double ul, double ur, double a) { return 0.5 * a * (ul + ur) - 0.5 * fabs(a) * (ur - ul); }
static const struct { const char *name; flux_fn f; } fluxes[] = { { "upwind", upwind }, { "lax", lax } };
static double limit(limiter_t kind, double a, double b)
{
    switch (kind) {
    case MINMOD: return a * b <= 0 ? 0 : fabs(a) < fabs(b) ? a : b;
    case SUPERBEE: { if (a * b <= 0) return 0; double s = a > 0 ? 1 : -1; a = fabs(a); b = fabs(b); return s * fmax(fmin(2 * a, b), fmin(a, 2 * b)); }
    case NONE: default: return 0.5 * (a + b);
    }
}
static void boundary(double *u, int n, bool periodic)
{
    u[-1] = periodic ? u[n - 1] : u[0]; u[-2] = periodic ? u[n - 2] : u[0];
    u[n] = periodic ? u[0] : u[n - 1]; u[n + 1] = periodic ? u[1] : u[n - 1];
}
static void advance(double *restrict un, double *restrict u, const options *o, double a, double dt, double dx)
{
    boundary(u, o->cells, o->periodic);
    flux_fn F = fluxes[o->flux].f;
    double left = 0;
    for (int i = -1; i < o->cells; i++) {
        double sl = limit(o->limiter, u[i] - u[i - 1], u[i + 1] - u[i]), sr = i + 2 <= o->cells ? limit(o->limiter, u[i + 1] - u[i], u[i + 2] - u[i + 1]) : 0;
        double right = F(u[i] + 0.5 * sl, u[i + 1] - 0.5 * sr, a);
        if (i >= 0) un[i] = u[i] - dt / dx * (right - left);
        left = right;
    }
}
double advect(int n, const double *u0, double a, double tend, int flux, int limiter)
{
    options o = { .cells = n, .length = 1.0, .cfl = 0.5, .limiter = (limiter_t)limiter, .periodic = true, .flux = flux };
    double *mem = malloc(2 * (n + 4) * sizeof *mem), *u = mem + 2, *un = mem + n + 4 + 2;
    memcpy(u, u0, n * sizeof *u);
    double dx = o.length / n, dt = o.cfl * dx / fabs(a), t = 0;
    while (t < tend) {
        if (t + dt > tend) dt = tend - t;
        advance(un, u, &o, a, dt, dx);
        double *tmp = u; u = un; un = tmp;
        t += dt;
    }
    double s = 0;
    for (int i = 0; i < n; i++) s += (i + 1) * u[i] * u[i];
    free(mem);
    return s;
}
