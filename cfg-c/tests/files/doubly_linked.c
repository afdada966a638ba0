//@ chain {"n":4,"x":[0.0,1.2,1.9,3.3],"steps":3}
/* A list that is linked both ways; nodes are unlinked and put elsewhere. */
#include <stdlib.h>
typedef struct node node;
struct node { double x, f; node *prev, *next; };
typedef struct { node *head, *tail; int length; } list;
static void append(list *l, double x)
{
    node *n = malloc(sizeof(node));
    n->x = x;
    n->f = 0.0;
    n->next = NULL;
    n->prev = l->tail;
    if (l->tail) l->tail->next = n; else l->head = n;
    l->tail = n;
    l->length++;
}
static void unlink_node(list *l, node *n)
{
    if (n->prev) n->prev->next = n->next; else l->head = n->next;
    if (n->next) n->next->prev = n->prev; else l->tail = n->prev;
    n->prev = n->next = NULL;
    l->length--;
}
double chain(int n, const double *x, int steps)
{
    list l = { NULL, NULL, 0 };
    for (int i = 0; i < n; i++) append(&l, x[i]);
    for (int s = 0; s < steps; s++) {
        for (node *p = l.head; p; p = p->next) {
            p->f = 0.0;
            if (p->prev) p->f += p->prev->x - p->x;
            if (p->next) p->f += p->next->x - p->x;
        }
        for (node *p = l.tail; p; p = p->prev) p->x += 0.1 * p->f * p->x;
        /* The first goes to the end. */
        node *first = l.head;
        unlink_node(&l, first);
        first->prev = l.tail;
        l.tail->next = first;
        l.tail = first;
        l.length++;
    }
    double y = 0.0, k = 1.0;
    while (l.head) {
        node *p = l.head;
        y += k * p->x * p->x;
        k += l.length;
        unlink_node(&l, p);
        free(p);
    }
    return y;
}
