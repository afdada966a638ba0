//@ longest_shortest {"n":4,"w":[0.3,0.7,-0.2,0.5]}
#include <stdlib.h>
#include <math.h>
#include <stdbool.h>
/* A computational graph built at run time, evaluated in topological order; soft shortest paths. */
typedef struct edge edge_t;
typedef struct vertex { double dist; bool done; edge_t *out; } vertex_t;
struct edge { vertex_t *to; double length; edge_t *sibling; };
typedef struct { vertex_t *v; edge_t *pool; int nv, ne; } graph_t;
static graph_t *graph_create(int nv, int max_edges)
{
    graph_t *g = malloc(sizeof(graph_t));
    g->v = calloc(nv, sizeof(vertex_t));
    g->pool = calloc(max_edges, sizeof(edge_t));
    g->nv = nv; g->ne = 0;
    return g;
}
static void connect(graph_t *g, int a, int b, double w)
{
    edge_t *e = &g->pool[g->ne++];
    e->to = g->v + b; e->length = w; e->sibling = g->v[a].out;
    g->v[a].out = e;
}
static void dijkstra(graph_t *g, int from)
{
    for (int i = 0; i < g->nv; i++) { g->v[i].dist = HUGE_VAL; g->v[i].done = false; }
    g->v[from].dist = 0;
    for (;;) {
        vertex_t *best = NULL;
        for (vertex_t *v = g->v; v < g->v + g->nv; v++) if (!v->done && (best == NULL || v->dist < best->dist)) best = v;
        if (!best || best->dist == HUGE_VAL) break;
        best->done = true;
        for (edge_t *e = best->out; e; e = e->sibling) {
            double d = best->dist + e->length;
            if (d < e->to->dist) e->to->dist = d;
        }
    }
}
double longest_shortest(int n, const double *w)
{
    graph_t *g = graph_create(n, 2 * n);
    for (int i = 0; i < n; i++) { connect(g, i, (i + 1) % n, exp(w[i])); connect(g, i, (i + 2) % n, 1.5 + w[i] * w[i]); }
    dijkstra(g, 0);
    double m = 0;
    for (int i = 0; i < n; i++) if (g->v[i].dist > m && g->v[i].dist < HUGE_VAL) m = g->v[i].dist;
    free(g->v); free(g->pool); free(g);
    return m;
}
