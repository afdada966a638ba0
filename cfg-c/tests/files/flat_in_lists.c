//@ flat_in_lists {"n":3,"x":[0.3,0.7,0.2]}
//@ flat_subscripts {"x":[0.3,0.7,4.5]}
/* Matrices as one sequence where pointers are values. */
#include <stdlib.h>
#include <string.h>
struct part { double *from; int count; struct part *next; };
static double total(const struct part *p)
{
    double s = 0;
    for (; p; p = p->next)
        for (int i = 0; i < p->count; i++)
            s += p->from[i] * p->from[i] * (i + 1);
    return s;
}
static struct part *put(struct part *next, double *from, int count)
{
    struct part *p = malloc(sizeof *p);
    p->from = from;
    p->count = count;
    p->next = next;
    return p;
}
double flat_in_lists(int n, const double *x)
{
    double a[3][4], b[2][6];
    double *p = (double *)a;
    for (int k = 0; k < 12; k++)
        p[k] = x[k % n] * k;
    memcpy(b, a, sizeof b);
    struct part *all = put(NULL, &a[0][0], 12);
    all = put(all, a[1], 6);
    all = put(all, (double *)a + 8, 4);
    all = put(all, (double *)(a + 2), 4);
    all = put(all, *b, 12);
    double s = total(all);
    while (all) {
        struct part *next = all->next;
        free(all);
        all = next;
    }
    return s + b[1][3];
}
struct stop { double *at; struct stop *next; };
double flat_subscripts(const double *x)
{
    double v[2][3];
    struct stop a, *p = &a;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            v[i][j] = x[0] * (3 * i + j) + x[1];
    a.at = (&v[0][0]);
    a.next = x[0] > 0 ? &a : NULL;
    double s = 0;
    for (int k = 0; k < 6; k++)
        s += (&v[0][0])[k] * (v[0] + 0)[5 - k] + *((&v[0][0]) + k);
    (&v[0][0])[(int)x[2]] = s;
    for (int k = 0; k < 3 && p; k++, p = p->next)
        s += p->at[k + 2];
    return v[1][1] * s;
}
