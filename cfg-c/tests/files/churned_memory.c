//@ stack {"passes":40,"n":120,"x":0.3}
//@ queue {"n":2500,"x":0.7}
//@ sizes {"n":400,"x":0.7}
//@ grown {"n":2000,"x":0.2}
//@ kept {"n":2500,"x":0.2}
/* Memory that is freed in another order than it was allocated, and used again: more in all than there is at a time. */
#include <math.h>
#include <stdlib.h>
struct link { double v; struct link *next; };

double stack(int passes, int n, double x)
{
    double s = 0.0;
    for (int p = 0; p < passes; p++) {
        struct link *top = NULL;
        for (int i = 0; i < n; i++) {
            struct link *m = malloc(sizeof *m);
            m->v = x * (i + 1) + 0.001 * s;
            m->next = top;
            top = m;
        }
        for (struct link **l = &top; *l;) {
            struct link *m = *l;
            if (p % 2) {
                l = &m->next;
                continue;
            }
            s = 0.5 * s + 0.01 * m->v * m->v;
            *l = m->next;
            free(m);
        }
        while (top) {
            struct link *next = top->next;
            s = 0.5 * s + 0.01 * top->v * top->v;
            free(top);
            top = next;
        }
    }
    return s;
}

/* The one that was allocated first is freed first. */
double queue(int n, double x)
{
    struct link *front = NULL, *back = NULL;
    double s = 0.0;
    for (int i = 0; i < n; i++) {
        struct link *m = malloc(sizeof *m);
        m->v = x / (1 + i % 7) + 0.01 * s;
        m->next = NULL;
        if (back)
            back->next = m;
        else
            front = m;
        back = m;
        if (i > 20) {
            struct link *gone = front;
            front = gone->next;
            s = 0.9 * s + gone->v * gone->v;
            free(gone);
        }
    }
    while (front) {
        struct link *gone = front;
        front = gone->next;
        s = 0.9 * s + gone->v * gone->v;
        free(gone);
    }
    return s;
}

/* Arrays of three sizes in turn, of which three are there at a time. */
double sizes(int n, double x)
{
    double *held[3] = {NULL, NULL, NULL}, s = 0.0;
    for (int i = 0; i < n; i++) {
        int k = i % 3, size = 5 + 4 * k;
        double *old = held[k], *made = calloc(size, sizeof *made);
        for (int j = 0; j < size; j += 2)
            made[j] = sin(x * j + 0.01 * s + (old ? 0.5 * old[size - 1 - j] : 0.0));
        s = 0.9 * s + made[2] * made[size - 1] + made[1];
        free(old);
        held[k] = made;
    }
    for (int k = 0; k < 3; k++)
        free(held[k]);
    return s;
}

/* Two arrays that grow by turns, so that neither stands last. */
double grown(int n, double x)
{
    double *a = NULL, *b = NULL, s = 0.0;
    for (int i = 0; i < n; i++) {
        int size = i % 12 + 1;
        a = realloc(a, size * sizeof *a);
        a[size - 1] = sin(x * i);
        b = realloc(b, (13 - size) * sizeof *b);
        b[12 - size] = a[size / 2] * x;
        s = 0.9 * s + a[0] * b[12 - size];
    }
    free(a);
    free(b);
    return s;
}

/* What lasts from call to call. */
static struct link *all;
double kept(int n, double x)
{
    double s = 0.0;
    for (int i = 0; i < n; i++) {
        struct link *m = malloc(sizeof *m);
        m->v = x * (i % 5) + 0.01 * s;
        m->next = all;
        all = m;
        if (m->next && m->next->next) {
            struct link *gone = m->next->next;
            s = 0.9 * s + gone->v * m->v;
            m->next->next = gone->next;
            free(gone);
        }
    }
    return s + all->v * all->next->v;
}
