#include <stdlib.h>
typedef struct Node { double v; struct Node *next; } Node;
double f(int n, double x)
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
