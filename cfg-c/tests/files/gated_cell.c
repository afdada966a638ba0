//@ gru_loss {"nx":1,"nh":2,"params":[0.1,0.2,0.3,-0.1,0.2,0.4,0,0.1,0.5,-0.3,0.2,0.1,0.3,0.2,0.1,-0.1],"T":3,"x":[1,0.5,-0.4],"y":[0.2,0.1,0.3]}
#include <stdlib.h>
#include <math.h>
#include <string.h>
/* A gated cell whose parameters lie in one vector, with views in a structure, sequences in an arena. */
typedef struct arena { double *base; size_t used, size; } arena;
static double *take(arena *a, size_t n)
{
    if (a->used + n > a->size) return NULL;
    double *p = a->base + a->used;
    a->used += n;
    memset(p, 0, n * sizeof *p);
    return p;
}
typedef struct { int nx, nh; const double *Wz, *Uz, *bz, *Wh, *Uh, *bh; } gru;
static const double *view(const double **p, int n) { const double *q = *p; *p += n; return q; }
static gru gru_make(const double *p, int nx, int nh)
{
    gru g = { .nx = nx, .nh = nh };
    g.Wz = view(&p, nx * nh); g.Uz = view(&p, nh * nh); g.bz = view(&p, nh);
    g.Wh = view(&p, nx * nh); g.Uh = view(&p, nh * nh); g.bh = view(&p, nh);
    return g;
}
static double affine(const double *W, const double *x, int n, const double *U, const double *h, int m, double b)
{
    double s = b;
    while (n--) s += *W++ * *x++;
    while (m--) s += *U++ * *h++;
    return s;
}
static double *gru_step(const gru *g, const double *x, const double *h, arena *a)
{
    double *out = take(a, g->nh);
    for (int i = 0; i < g->nh; i++) {
        double z = 1 / (1 + exp(-affine(g->Wz + i * g->nx, x, g->nx, g->Uz + i * g->nh, h, g->nh, g->bz[i])));
        double c = tanh(affine(g->Wh + i * g->nx, x, g->nx, g->Uh + i * g->nh, h, g->nh, g->bh[i]));
        out[i] = (1 - z) * h[i] + z * c;
    }
    return out;
}
double gru_loss(int nx, int nh, const double *params, int T, const double *x, const double *y)
{
    arena a = { malloc(256 * sizeof(double)), 0, 256 };
    gru g = gru_make(params, nx, nh);
    double *h = take(&a, nh), loss = 0;
    for (int t = 0; t < T; t++) {
        h = gru_step(&g, x + t * nx, h, &a);
        loss += (h[0] - y[t]) * (h[0] - y[t]);
    }
    free(a.base);
    return loss;
}
