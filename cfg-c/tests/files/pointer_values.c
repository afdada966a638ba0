//@ array_of_lists {"p":[0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8],"x":0.5}
//@ array_of_pointers {"x":[1.5,2.5]}
//@ array_of_structures {"n":1,"x":[1.5,2.5]}
//@ assigned_and_used {"k":1,"a":[0.5],"b":[1.5]}
//@ calls_itself {"n":2,"x":[1.5,2.5]}
//@ exchanged_block_rows {"n":2,"x":[0.1,0.2,0.3,0.4,0.5,0.6]}
//@ held_in_head {"n":3,"x":[0.1,0.2,0.3]}
//@ held_resized {"n":3,"x":[0.1,0.2,0.3]}
//@ linked_list {"n":3,"x":0.5}
//@ several_structures {"n":3,"x":[0.5],"y":[0.7]}
//@ too_many_arrays {"k":4,"a":[0.1],"b":[0.2],"c":[0.3],"d":[0.4],"e":[0.5],"g":[0.6],"h":[0.7],"i":[0.8],"j":[0.9]}
/* Uses of pointers that cannot be resolved to arrays and indices. */
#include <stdlib.h>
typedef struct { int n; double *w; double b; } layer;
double array_of_lists(const double *p, double x)
{
    layer ls[2];
    double buffer[6], h = x;
    for (int i = 0; i < 6; i++) buffer[i] = p[i];
    for (int k = 0; k < 2; k++) { ls[k].n = 3; ls[k].w = buffer + 3 * k; ls[k].b = p[6 + k]; }
    for (int k = 0; k < 2; k++) {
        double s = ls[k].b;
        for (int i = 0; i < ls[k].n; i++) s += ls[k].w[i] * h;
        h = s / (1 + s * s);
    }
    return h;
}

double array_of_pointers(double *x) { double *rows[2] = {x, x + 1}; return rows[1][0]; }

struct array_of_structures_m { int n; double *data; };
double array_of_structures(int n, double *x) { struct array_of_structures_m all[2] = {{n, x}, {n, x + 1}}; return all[1].data[0]; }

double assigned_and_used(int k, const double *a, const double *b)
{
    const double *p = k ? a : b;
    if ((p = b) && p[0] > 1) return p[0];
    return 0;
}

struct calls_itself_m { int n; double *data; };
static double calls_itself_inner(struct calls_itself_m *m, int k) { return k ? calls_itself_inner(m, k - 1) : m->data[0]; }
double calls_itself(int n, double *x) { struct calls_itself_m m = {n, x}; return calls_itself_inner(&m, 3); }

double exchanged_block_rows(int n, double *x)
{
    double *a[3], *t;
    for (int i = 0; i < 3; i++) a[i] = x + i * n;
    t = a[0];
    a[0] = a[1];
    a[1] = t;
    return a[0][0] - a[1][0] * a[2][0];
}

double held_in_head(int n, double *x)
{
    double r = 0;
    int i = 0;
    for (double s = 0, *keep = NULL; i < n; i++) {
        double *p = malloc(2 * sizeof *p);
        p[0] = x[i];
        if (keep) s += keep[0];
        keep = p;
        r = s;
    }
    return r;
}

double held_resized(int n, double *x)
{
    double s = 0, *keep = NULL;
    for (int i = 0; i < n; i++) {
        double *p = NULL;
        p = realloc(p, 2 * sizeof *p);
        p[0] = x[i];
        if (keep) s += keep[0];
        keep = p;
    }
    return s;
}

typedef struct Node { double v; struct Node *next; } Node;
double linked_list(int n, double x)
{
    Node *last = NULL;
    for (int i = 0; i < n; i++) {
        Node *m = malloc(sizeof *m);
        m->v = x * i;
        m->next = last;
        last = m;
    }
    return last->v;
}

struct several_structures_m { int n; double *data; };
double several_structures(int n, double *x, double *y)
{
    struct several_structures_m a = {n, x}, b = {n, y}, *p = &a;
    if (n > 2) p = &b;
    return p->data[0];
}

double too_many_arrays(int k, const double *a, const double *b, const double *c, const double *d, const double *e, const double *g, const double *h, const double *i, const double *j)
{
    const double *p = k == 0 ? a : k == 1 ? b : k == 2 ? c : k == 3 ? d : k == 4 ? e : k == 5 ? g : k == 6 ? h : k == 7 ? i : j;
    return p[0];
}
