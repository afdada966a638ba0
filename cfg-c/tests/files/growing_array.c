//@ gini {"n":6,"x":[3,1,4,1.5,9,2.6],"p":0.7}
#include <stdlib.h>
#include <math.h>
/* A growing array of structures, sorted by an own quicksort with a comparison. */
typedef struct { double key, weight; int id; } item;
typedef struct { item *data; size_t len, cap; } items;
static void items_push(items *a, item it)
{
    if (a->len == a->cap) {
        a->cap = a->cap ? 2 * a->cap : 4;
        a->data = realloc(a->data, a->cap * sizeof(item));
    }
    a->data[a->len++] = it;
}
static int by_key(const item *a, const item *b) { return (a->key > b->key) - (a->key < b->key); }
static void swap(item *a, item *b) { item t = *a; *a = *b; *b = t; }
static void quicksort(item *a, int n, int (*cmp)(const item *, const item *))
{
    if (n < 2) return;
    int last = 0;
    swap(&a[0], &a[n / 2]);
    for (int i = 1; i < n; i++) if (cmp(&a[i], &a[0]) < 0) swap(&a[++last], &a[i]);
    swap(&a[0], &a[last]);
    quicksort(a, last, cmp);
    quicksort(a + last + 1, n - last - 1, cmp);
}
double gini(int n, const double *x, double p)
{
    items a = { NULL, 0, 0 };
    for (int i = 0; i < n; i++) items_push(&a, (item){ .key = pow(x[i], p), .weight = 1.0 + 0.1 * i, .id = i });
    quicksort(a.data, (int)a.len, by_key);
    double num = 0, den = 0, cum = 0;
    for (const item *it = a.data; it != a.data + a.len; ++it) { cum += it->weight; num += cum * it->key; den += it->key * it->weight; }
    free(a.data);
    return num / den;
}
