//@ f {"n":3,"x":[1.1,0.7,0.9]}
#include <stdlib.h>
/* Changes and uses of different members, elements and pointers in one expression. */
struct stack { int n, m; double *d, *end; };
struct node { double v; struct node *next, *back; };
struct pair { double *p, *q; };

static void push(struct stack *s, double a) { s->d[s->n++] = a; }
static double pop(struct stack *s) { return s->d[--s->n]; }
static void copy(struct pair *to, struct pair *from, int n) { while (n-- > 0) *to->p++ = *from->q++; }
static void queue(struct node **head, struct node **tail, double v)
{
    struct node *made = malloc(sizeof *made);
    made->v = v;
    made->next = NULL;
    if (!*head) *head = *tail = made;
    else *tail = (*tail)->next = made;
}
static double both(struct stack *s, double a) { return s->m * (s->d[s->n++] = a); }
double f(int n, const double *x)
{
    struct stack s = {0, 2, malloc(4 * n * sizeof(double)), NULL};
    for (int i = 0; i < n; i++) push(&s, x[i] * x[i]);
    double y = 0, z[3] = {0};
    int k[2] = {0, 0};
    for (int i = 0; i + 1 < n; i++) y = y * 0.5 + pop(&s) + both(&s, y);
    struct node *head = NULL, *tail = NULL, *p;
    for (int i = 0; i < n; i++) queue(&head, &tail, x[i] * y);
    p = head;
    while (p->next) { p->v *= p->next->v; p = p->next; }
    tail = tail->next = calloc(1, sizeof(struct node));
    tail->v = y * y;
    for (p = head; p; p = p->next) y += p->v;
    struct pair a = {s.d, z}, b = {z, s.d};
    copy(&a, &b, 2);
    *b.p++ = *b.q++ * 2;
    z[1] = z[0] + (z[2] = y);
    z[k[0]++] += z[k[1]] * x[0];
    while (head) { p = head->next; free(head); head = p; }
    return y + z[0] + z[1] * z[2] + s.d[0];
}
