//@ loss {"params":[0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8],"x":[0.5,-0.2],"n":2}
/* An array of structures with pointers: the layers of a net, with weights that a pointer walks through. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
typedef struct { int in, out; double *w, *b, *y; } layer;
typedef struct { int n; layer *l; } net;
static void make(layer *l, int in, int out, const double **p)
{
    l->in = in; l->out = out;
    l->w = malloc(in * out * sizeof(double));
    l->b = malloc(out * sizeof(double));
    l->y = calloc(out, sizeof(double));
    for (int i = 0; i < in * out; i++) l->w[i] = *(*p)++;
    for (int i = 0; i < out; i++) l->b[i] = *(*p)++;
}
static const double *run(const net *m, const double *x)
{
    for (int k = 0; k < m->n; k++) {
        layer *l = &m->l[k];
        for (int i = 0; i < l->out; i++) {
            double s = l->b[i];
            for (int j = 0; j < l->in; j++) s += l->w[i * l->in + j] * x[j];
            l->y[i] = tanh(s);
        }
        x = l->y;
    }
    return x;
}
double loss(const double *params, const double *x, int n)
{
    net m;
    m.n = 2;
    m.l = malloc(2 * sizeof(layer));
    const double *p = params;
    make(&m.l[0], n, 3, &p);
    make(m.l + 1, 3, 2, &p);
    const double *y = run(&m, x);
    double e = (y[0] - 0.5) * (y[0] - 0.5) + y[1] * y[1];
    for (int k = 0; k < m.n; k++) { free(m.l[k].w); free(m.l[k].b); free(m.l[k].y); }
    free(m.l);
    return e;
}
