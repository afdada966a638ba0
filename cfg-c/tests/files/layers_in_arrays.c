//@ loss {"n_layers":2,"sizes":[2,3,1],"params":[0.1,-0.2,0.3,0.4,-0.5,0.6,0.1,0.2,0.3,0.7,-0.8,0.9,0.05],"m":2,"x":[1,0.5,-0.3,0.8],"y":[0.5,-0.2]}
#include <math.h>
#include <stdlib.h>

typedef double (*activation)(double);
typedef struct {
    const char *name;
    activation f;
} act_entry;

static double relu(double x) { return x > 0 ? x : 0; }
static double sigmoid(double x) { return 1 / (1 + exp(-x)); }
static double identity(double x) { return x; }

static const act_entry table[] = {
    { "tanh", tanh }, { "relu", relu }, { "sigmoid", sigmoid }, { "linear", identity }, { NULL, NULL }
};

typedef struct layer {
    int in, out;
    double *w;     /* out x in */
    double *b;
    double *a;     /* activations */
    int act;
} layer;

typedef struct {
    int n_layers;
    layer *layers;
} network;

static int build(network *net, int n_layers, const int *sizes, double *params)
{
    net->n_layers = n_layers;
    net->layers = malloc(n_layers * sizeof(layer));
    double *p = params;
    for (int l = 0; l < n_layers; l++) {
        layer *L = &net->layers[l];
        L->in = sizes[l];
        L->out = sizes[l + 1];
        L->w = p;
        p += L->in * L->out;
        L->b = p;
        p += L->out;
        L->a = calloc(L->out, sizeof(double));
        L->act = l + 1 < n_layers ? 0 : 3;
    }
    return p - params;
}

static const double *forward(network *net, const double *x)
{
    const double *in = x;
    for (layer *L = net->layers; L < net->layers + net->n_layers; L++) {
        for (int o = 0; o < L->out; o++) {
            double z = L->b[o];
            const double *row = L->w + o * L->in;
            for (int i = 0; i < L->in; i++)
                z += row[i] * in[i];
            L->a[o] = table[L->act].f(z);
        }
        in = L->a;
    }
    return in;
}

double loss(int n_layers, const int *sizes, double *params, int m, const double *x, const double *y)
{
    network net;
    build(&net, n_layers, sizes, params);
    double total = 0;
    int nin = sizes[0], nout = sizes[n_layers];
    for (int s = 0; s < m; s++) {
        const double *out = forward(&net, x + s * nin);
        for (int o = 0; o < nout; o++) {
            double e = out[o] - y[s * nout + o];
            total += e * e;
        }
    }
    for (int l = 0; l < net.n_layers; l++)
        free(net.layers[l].a);
    free(net.layers);
    return total / m;
}
