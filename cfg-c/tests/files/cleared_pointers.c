//@ stencils {"n":2,"x":[0.5,1.5,-0.75]}
/* Structures of arrays of structures of arrays of pointers, cleared as a whole. */
#include <stdlib.h>
#include <string.h>

typedef struct { double *at[2]; int count; } Links;
typedef struct { Links links[3]; double *first; } Net;

double stencils(int n, const double *x)
{
    Net *net = malloc(sizeof *net);
    double *u = malloc(3 * sizeof *u), s = 0.0;
    memset(net, 0, sizeof *net);
    for (int i = 0; i < 3; i++) u[i] = x[i] * x[i];
    net->first = u;
    for (int i = 0; i < n; i++) {
        Links *l = &net->links[i];
        l->at[l->count++] = u + i;
        if (u[i] > 1.0) l->at[l->count++] = net->first + i + 1 - 1;
    }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++)
            if (net->links[i].at[k] != NULL) s += (i + k + 1) * *net->links[i].at[k] * x[i];
    free(u);
    free(net);
    return s;
}
