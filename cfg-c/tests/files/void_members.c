//@ f {"n":5,"x":0.5}
//@ held {"n":5,"x":0.5}
/* Members that are pointers to void, in a file with a linked list: a table of functions with what they are given, which is null, and memory. */
#include <math.h>
#include <stdlib.h>
struct node { double v; struct node *next; };
struct entry { double (*of)(double, void *); void *context; };

static double plain(double x, void *context)
{
    (void)context;
    return sin(x);
}
static double twice(double x, void *context) { return context ? 0.0 : 2.0 * x * x; }
static const struct entry table[] = {{plain, NULL}, {twice, NULL}};

double f(int n, double x)
{
    struct node *front = NULL;
    double y = 0.0;
    for (int i = 0; i < n; i++) {
        struct node *made = malloc(sizeof *made);
        const struct entry *e = &table[i % 2];
        made->v = e->of(x + i, e->context);
        made->next = front;
        front = made;
    }
    while (front) {
        struct node *next = front->next;
        y = 0.5 * y + front->v * front->v;
        free(front);
        front = next;
    }
    return y;
}

struct bag { void *items; int n; };

static void fill(struct bag *b, int n, double x)
{
    b->items = malloc(n * sizeof(double));
    b->n = n;
    for (int i = 0; i < n; i++)
        ((double *)b->items)[i] = x * i;
}

double held(int n, double x)
{
    struct bag b;
    double y = f(n, x);
    fill(&b, n, x);
    double *p = b.items;
    for (int i = 0; i < b.n; i++)
        y += p[i] * p[b.n - 1 - i];
    free(b.items);
    return y;
}
