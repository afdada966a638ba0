//@ f {"n":3,"x":[0.3,0.5,0.7]}
//@ f {"n":0,"x":[1.0]}
/* A linked list on the heap, built by one function and freed by another. */
#include <stdlib.h>
#include <math.h>
struct node { double v; struct node *next; };
static struct node *push(struct node *head, double v)
{
    struct node *n = malloc(sizeof *n);
    if (!n) abort();
    n->v = v;
    n->next = head;
    return n;
}
double f(int n, const double *x)
{
    struct node *head = NULL;
    for (int i = 0; i < n; i++)
        head = push(head, exp(x[i]));
    double y = 1.0;
    while (head) {
        struct node *next = head->next;
        y = sin(y) + y * head->v;
        free(head);
        head = next;
    }
    return y;
}
