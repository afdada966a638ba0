//@ energy {"n":4,"k":[1,2,0.5,1.5],"f":[1,-1,0.3,0.2]}
/* Sparse LU with linked rows: each row is a sorted list of (column, value). */
#include <stdlib.h>
#include <math.h>

typedef struct entry {
    int col;
    double val;
    struct entry *next;
} entry;

typedef struct {
    int n;
    entry **rows;
} sparse;

static entry *new_entry(int col, double val, entry *next)
{
    entry *e = (entry *)malloc(sizeof(entry));
    e->col = col;
    e->val = val;
    e->next = next;
    return e;
}

static void add_to(sparse *a, int i, int j, double v)
{
    entry **link = &a->rows[i];
    while (*link && (*link)->col < j)
        link = &(*link)->next;
    if (*link && (*link)->col == j)
        (*link)->val += v;
    else
        *link = new_entry(j, v, *link);
}

static sparse *sparse_new(int n)
{
    sparse *a = malloc(sizeof *a);
    a->n = n;
    a->rows = calloc(n, sizeof *a->rows);
    return a;
}

static void sparse_free(sparse *a)
{
    for (int i = 0; i < a->n; i++)
        for (entry *e = a->rows[i], *next; e; e = next) {
            next = e->next;
            free(e);
        }
    free(a->rows);
    free(a);
}

static double get(const sparse *a, int i, int j)
{
    for (const entry *e = a->rows[i]; e != NULL && e->col <= j; e = e->next)
        if (e->col == j)
            return e->val;
    return 0.0;
}

static void factor(sparse *a)
{
    for (int k = 0; k < a->n; k++) {
        double pivot = get(a, k, k);
        for (int i = k + 1; i < a->n; i++) {
            entry *e = a->rows[i];
            while (e && e->col < k)
                e = e->next;
            if (!e || e->col != k)
                continue;
            double m = e->val /= pivot;
            for (const entry *u = a->rows[k]; u; u = u->next)
                if (u->col > k)
                    add_to(a, i, u->col, -m * u->val);
        }
    }
}

static void solve(const sparse *a, double *b)
{
    for (int i = 0; i < a->n; i++)
        for (entry *e = a->rows[i]; e && e->col < i; e = e->next)
            b[i] -= e->val * b[e->col];
    for (int i = a->n - 1; i >= 0; i--) {
        double d = 0.0;
        for (entry *e = a->rows[i]; e; e = e->next) {
            if (e->col == i)
                d = e->val;
            else if (e->col > i)
                b[i] -= e->val * b[e->col];
        }
        b[i] /= d;
    }
}

/* The energy of a network of springs k[i] between i and i+1 (periodic), loaded with f. */
double energy(int n, const double *k, const double *f)
{
    sparse *a = sparse_new(n);
    for (int i = 0; i < n; i++) {
        int j = (i + 1) % n;
        add_to(a, i, i, k[i] + 1.0);
        add_to(a, j, j, k[i]);
        add_to(a, i, j, -k[i]);
        add_to(a, j, i, -k[i]);
    }
    double *x = malloc(n * sizeof *x);
    for (int i = 0; i < n; i++)
        x[i] = f[i];
    factor(a);
    solve(a, x);
    double e = 0.0;
    for (int i = 0; i < n; i++)
        e += 0.5 * f[i] * x[i];
    free(x);
    sparse_free(a);
    return e;
}
