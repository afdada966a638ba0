//@ f {"n":3,"x":[0.3,0.5,0.7]}
/* Nodes from a static array, and a structure with pointers by value whose member is assigned. */
#include <stdlib.h>
typedef struct N { double v; struct N *next; } N;
static N pool[4]; static int used;
typedef struct { N *a, *b; } Pr;
static double flip(Pr q) { q.a = q.b; return q.a->v; }
double f(int n, const double *x)
{
    N *h = NULL;
    used = 0;
    for (int i = 0; i < n; i++) { N *p = &pool[used]; used++; p->v = x[i]; p->next = h; h = p; }
    Pr p = { h, h->next };
    double y = flip(p);
    return y * p.a->v + p.b->v * p.b->v;
}
