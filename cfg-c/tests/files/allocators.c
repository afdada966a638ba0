//@ f {"n":3,"x":[0.3,0.5,0.7]}
//@ f {"n":1,"x":[1.5]}
//@ lists {"n":3,"x":[0.3,0.5,0.7]}
//@ measured {"n":3,"x":[0.3,0.5,0.7]}
//@ aligned {"n":2,"x":[0.3,0.5]}
//@ grown {"n":5,"x":[0.3,0.5,0.7,1.1,1.3]}
//@ chosen {"n":3,"x":[0.3,0.5,0.7]}
/* Memory that is allocated behind pointers to void, and measured in bytes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#define NEW(type, n) ((type *)xmalloc((n) * sizeof(type)))

struct node { double v; int k; struct node *next; };

static void *xmalloc(size_t bytes)
{
    void *p = malloc(bytes);
    if (p == NULL) {
        fprintf(stderr, "no memory\n");
        exit(1);
    }
    return p;
}

static void *xcalloc(size_t n, size_t size)
{
    void *p;
    if (!(p = calloc(n, size)))
        abort();
    return p;
}

static void *through(size_t bytes) { return xmalloc(bytes); }

static void *xrealloc(void *old, size_t bytes)
{
    void *p = old ? realloc(old, bytes) : malloc(bytes);
    if (!p)
        abort();
    return p;
}

static void xfree(void *p)
{
    if (p)
        free(p);
}

double f(int n, const double *x)
{
    void *raw = malloc(n * sizeof(double));
    double *a = raw;
    int *k = NEW(int, n);
    float *b = (float *)xcalloc((size_t)n, sizeof(float));
    double *c = through(n * sizeof *c), y = 0.0;
    for (int i = 0; i < n; i++) {
        a[i] = sin(x[i]);
        k[i] = n - 1 - i;
        b[i] += (float)x[i];
    }
    for (int i = 0; i < n; i++)
        c[i] = a[k[i]] * b[i] * x[i];
    for (int i = 0; i < n; i++)
        y += c[i] * a[i];
    free(raw);
    xfree(k);
    xfree(b);
    xfree(c);
    return y;
}

double lists(int n, const double *x)
{
    struct node *front = NULL;
    double *w = xmalloc(n * sizeof *w), y = 0.0;
    for (int i = 0; i < n; i++) {
        struct node *made = xmalloc(sizeof *made);
        made->v = exp(x[i]);
        made->k = i;
        made->next = front;
        front = made;
        w[i] = x[i] * i;
    }
    while (front) {
        void *gone = front;
        y = front->v * (1.0 + y) + w[front->k];
        front = front->next;
        free(gone);
    }
    free(w);
    return y;
}

double measured(int n, const double *x)
{
    size_t each = sizeof(double), bytes = n * each;
    double *a = malloc(bytes), *b = calloc(1, bytes), *c = malloc((bytes + each) * 2), y = 0.0;
    long many = n;
    many *= 8;
    double *d = malloc(many);
    for (int i = 0; i < n; i++) {
        a[i] = x[i] * x[i];
        b[i] += a[i];
        c[i + n] = b[i];
        d[i] = 2.0 * c[i + n];
    }
    for (int i = 0; i < n; i++)
        y += d[i] * c[2 * n - 1 - i];
    free(a);
    free(b);
    free(c);
    free(d);
    return y;
}

double aligned(int n, const double *x)
{
    double *a, y = 0.0;
    if (posix_memalign((void **)&a, 64, n * sizeof(double)) != 0)
        return -1.0;
    for (int i = 0; i < n; i++)
        a[i] = x[i] * x[i];
    for (int i = 0; i < n; i++)
        y += a[i] * x[n - 1 - i];
    free(a);
    return y;
}

double grown(int n, const double *x)
{
    double *a = NULL, y = 0.0;
    int room = 0, used = 0;
    for (int i = 0; i < n; i++) {
        if (used == room) {
            room = room ? 2 * room : 1;
            a = xrealloc(a, room * sizeof *a);
        }
        a[used++] = cos(x[i]);
    }
    for (int i = 0; i < used; i++)
        y += a[i] * a[used - 1 - i] * x[i];
    xfree(a);
    return y;
}

/* One that is cast where it is used, and one that is compared. */
double chosen(int n, const double *x)
{
    void *p = malloc(n * sizeof(double)), *q = malloc(n * sizeof(double)), *last;
    double y = 0.0;
    for (int i = 0; i < n; i++) {
        ((double *)p)[i] = x[i];
        ((double *)q)[i] = x[i] * x[i];
    }
    last = n > 2 ? q : p;
    for (int i = 0; i < n; i++)
        y += ((const double *)last)[i] * x[i];
    if (last == p)
        y = -y;
    free(p);
    free(q);
    return y;
}
