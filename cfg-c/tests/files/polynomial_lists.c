//@ product_at {"n":3,"a":[1,2,0.5],"b":[0.3,-1,2],"x":1.2}
#include <stdlib.h>
typedef struct term { int deg; double c; struct term *next; } *poly;
static poly term_new(int deg, double c, poly next) { poly t = malloc(sizeof(struct term)); t->deg = deg; t->c = c; t->next = next; return t; }
static poly add(poly a, poly b)
{
    struct term head, *tail = &head;
    head.next = NULL;
    while (a || b) {
        if (!b || (a && a->deg > b->deg)) { tail = tail->next = term_new(a->deg, a->c, NULL); a = a->next; }
        else if (!a || b->deg > a->deg) { tail = tail->next = term_new(b->deg, b->c, NULL); b = b->next; }
        else { tail = tail->next = term_new(a->deg, a->c + b->c, NULL); a = a->next, b = b->next; }
    }
    return head.next;
}
static void release(poly p) { while (p) { poly n = p->next; free(p); p = n; } }
static poly mul(poly a, poly b)
{
    poly sum = NULL;
    for (; a; a = a->next) {
        poly row = NULL, *end = &row;
        for (poly t = b; t; t = t->next) { *end = term_new(a->deg + t->deg, a->c * t->c, NULL); end = &(*end)->next; }
        poly old = sum;
        sum = add(old, row);
        release(old); release(row);
    }
    return sum;
}
static double eval(poly p, double x)
{
    double y = 0; int d = p ? p->deg : 0;
    for (; p; p = p->next) { while (d > p->deg) { y *= x; d--; } y += p->c; }
    while (d-- > 0) y *= x;
    return y;
}
double product_at(int n, const double *a, const double *b, double x)
{
    poly p = NULL, q = NULL;
    for (int i = 0; i < n; i++) { p = term_new(2 * i, a[i], p); q = term_new(i, b[i], q); }
    poly r = mul(p, q), s = add(r, p);
    double y = eval(s, x);
    release(p); release(q); release(r); release(s);
    return y;
}
