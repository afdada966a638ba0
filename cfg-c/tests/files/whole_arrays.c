//@ numbers {"n":3,"x":[0.5,0.7,1.1]}
//@ members {"n":3,"x":[0.5,0.7,1.1]}
//@ listed {"n":3,"x":[0.5,0.7,1.1]}
/* Arrays by their addresses as a whole, where only bytes count: copied, cleared, and as pointers to their elements. */
#include <stdlib.h>
#include <string.h>

typedef struct { double rows[2][3], v[3]; int count; } Table;

double numbers(int n, const double *x)
{
    double a[3], b[3], m[2][3], s = 0;
    memcpy(&a, x, sizeof a);
    memcpy(&b, (const void *)&a, sizeof(b));
    memset(&m, 0, sizeof m);
    memmove(&m[1], &a, sizeof a);
    memset((char *)&a, 0, sizeof a);
    const double *p = (double *)&b, *q = (double *)(void *)&m;
    for (int i = 0; i < n; i++) s += p[i] * q[3 + i] * (i + 1) + a[i] + q[i];
    return s;
}

double members(int n, const double *x)
{
    Table t, u;
    memset(&t.rows, 0, sizeof t.rows);
    memcpy(&t.v, x, sizeof t.v);
    t.count = n;
    for (int i = 0; i < t.count; i++) t.rows[1][i] = t.v[i] * x[0];
    memcpy(&u.rows, &t.rows, sizeof u.rows);
    memcpy(u.rows[0], &t.v, sizeof t.v);
    return u.rows[1][0] * u.rows[1][2] + u.rows[0][1];
}

struct link { struct link *next; double v[3]; };

double listed(int n, const double *x)
{
    struct link *first = malloc(sizeof *first), *second = malloc(sizeof *second);
    first->next = second;
    second->next = NULL;
    memset(&first->v, 0, sizeof first->v);
    memcpy(&second->v, x, sizeof second->v);
    first->v[1] += second->v[n - 1];
    memcpy(&first->next->v, &first->v, sizeof first->v);
    double s = 0;
    for (struct link *l = first; l; l = l->next) s = 2 * s + l->v[1] * x[1];
    free(first);
    free(second);
    return s;
}
