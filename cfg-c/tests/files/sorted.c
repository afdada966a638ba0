//@ order_statistics {"n":5,"x":[3,1.1,-2.2,5,0.4]}
//@ weighted {"n":4,"x":[0.3,-0.7,0.2,1.4]}
//@ rows {"a":[[3,1,2],[0.5,0.1,0.7]],"k":[5,2,9,1]}
/* qsort with functions that compare, for numbers, structures and integers. */
#include <stdlib.h>
#include <math.h>
struct item { double weight, value; int from; };

static int ascending(const void *a, const void *b)
{
    double d = *(const double *)a - *(const double *)b;
    return d < 0 ? -1 : d > 0;
}

static int by_value(const void *a, const void *b)
{
    const struct item *p = a, *q = (const struct item *)b;
    return (p->value > q->value) - (p->value < q->value);
}

static int descending(const void *a, const void *b) { return *(const int *)b - *(const int *)a; }

double order_statistics(int n, const double *x)
{
    double *a = malloc(n * sizeof *a);
    for (int i = 0; i < n; i++)
        a[i] = x[i] * x[i] - x[i];
    qsort(a, n, sizeof a[0], ascending);
    double s = 0;
    for (int i = 0; i < n; i++)
        s += a[i] * i * i;
    qsort(a + 1, (size_t)n - 2, sizeof(double), ascending);
    s += a[1];
    free(a);
    return s;
}

double weighted(int n, const double *x)
{
    struct item items[4];
    for (int i = 0; i < n; i++)
        items[i] = (struct item){exp(x[i]), sin(3 * x[i]), i};
    qsort((void *)items, n, sizeof(struct item), by_value);
    double s = 0, total = 0;
    for (int i = 0; i < n; i++) {
        total += items[i].weight;
        s += total * items[i].value * (items[i].from + 1);
    }
    return s;
}

double rows(double a[2][3], int k[4])
{
    for (int i = 0; i < 2; i++)
        qsort(a[i], 3, sizeof(double), ascending);
    qsort(k, 4, sizeof *k, descending);
    return a[0][0] * a[1][2] * k[0] + a[0][1] * k[3];
}
