//@ flow {"n":4,"edges":5,"from":[0,0,1,2,1],"to":[1,2,3,3,2],"w":[0.5,0.4,0.9,0.7,0.2],"rounds":3}
/* A graph as lists of edges behind each vertex; a potential is pushed along them for some rounds. */
#include <math.h>
#include <stdlib.h>
struct edge;
struct vertex { double value, next_value; struct edge *first; };
struct edge { double weight; struct vertex *to; struct edge *next; };
double flow(int n, int edges, const int *from, const int *to, const double *w, int rounds)
{
    struct vertex *v = calloc(n, sizeof(struct vertex));
    for (int e = edges - 1; e >= 0; e--) {
        struct edge *made = malloc(sizeof(struct edge));
        made->weight = w[e];
        made->to = &v[to[e]];
        made->next = v[from[e]].first;
        v[from[e]].first = made;
    }
    v[0].value = 1.0;
    for (int r = 0; r < rounds; r++) {
        for (struct vertex *p = v; p < v + n; p++)
            for (struct edge *e = p->first; e != NULL; e = e->next)
                e->to->next_value += sin(e->weight * p->value);
        for (struct vertex *p = v; p != v + n; ++p) {
            p->value += 0.5 * p->next_value;
            p->next_value = 0.0;
        }
    }
    double s = 0.0;
    for (int i = 0; i < n; i++) {
        s += v[i].value * v[i].value;
        for (struct edge *e = v[i].first; e;) {
            struct edge *next = e->next;
            free(e);
            e = next;
        }
    }
    free(v);
    return s;
}
