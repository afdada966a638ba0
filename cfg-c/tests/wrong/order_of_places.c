/* The same member, element or pointer is changed and used, or may be. */
struct stack { int n; double *d; };
struct node { double v; struct node *next; };
static double same(struct stack *s) { return s->n * s->d[s->n++]; }
static double same_element(double *a, int k) { return a[0] + (a[k] = 2.0); }
static double on_the_way(struct node *p, struct node *q) { p->next->v = (p = q, 1.0); return q->v; }
static double elsewhere(struct node *p) { return p->next->v + (p->v = 2.0); }
static double assigned(struct stack s) { s.n = s.n++; return s.n; }
static double total(int n, const double *d) { return n > 0 ? d[0] : 0.0; }
static double handed(struct stack *s) { return total(s->n, s->d) + (s->d[1] = 2.0); }
static double variable(int *p, int n) { int *q = &n; return n + (*q = 1) + (n = *p); }
double f(double *x)
{
    struct node b = {x[0], 0}, a = {x[1], &b};
    struct stack s = {2, x};
    int k = 1;
    return same(&s) + same_element(x, k) + on_the_way(&a, &b) + elsewhere(&a) + assigned(s) + handed(&s) + variable(&k, 1);
}
