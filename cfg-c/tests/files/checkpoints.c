//@ pendulums {"s":[{"n":3,"t":0,"u":[0.1,0.2,0.3],"v":[1,2,3]}],"steps":7,"dt":0.1}
//@ relaxed {"n":4,"x":[1,2,3,4],"a":0.1}
//@ in_turns {"n":4,"a":0.3}
//@ left {"n":4,"u":[1,2,3,4],"v":[0.1,0.2,0.3,0.4],"a":0.2,"limit":1e9}
//@ left {"n":4,"u":[1,2,3,4],"v":[0.1,0.2,0.3,0.4],"a":0.2,"limit":3.5}
//@ parts {"n":5,"x":[0.3,-0.2,0.5,0.1,0.4]}
//@ late {"n":3,"u":[0.1,0.2,0.3],"x":0.7}
/* Time loops and parts of functions that run again in the reverse sweep. */
#include <math.h>
#include <stdlib.h>
struct state { int n; double t; double *u, *v; };
static double energy;
static double work[8];

static void step(struct state *s, double dt)
{
    int n = s->n;
    for (int i = 0; i < n; i++) work[i] = s->u[(i + 1) % n] - 2 * s->u[i] + s->u[(i + n - 1) % n];
    for (int i = 0; i < n; i++) {
        s->v[i] += dt * (work[i] - sin(s->u[i]));
        s->u[i] += dt * s->v[i];
    }
    s->t += dt;
    energy += s->u[0] * s->u[0] * dt;
}

double pendulums(struct state *s, int steps, double dt)
{
    energy = 0;
#pragma cfgrev checkpoint(snapshots = 3)
    for (int k = 0; k < steps; k++) step(s, dt);
    double e = energy;
    for (int i = 0; i < s->n; i++) e += s->v[i] * s->v[i] / 2 + 1 - cos(s->u[i]);
    return e;
}

/* The state is a list. */
struct node { double x; struct node *next; };
double relaxed(int n, const double *x, double a)
{
    struct node *head = NULL;
    for (int i = 0; i < n; i++) {
        struct node *p = malloc(sizeof *p);
        p->x = x[i];
        p->next = head;
        head = p;
    }
    // $AD BINOMIAL-CKP 5 2 0
    for (int k = 0; k < 5; k++)
        for (struct node *p = head; p->next; p = p->next) p->x += a * sin(p->next->x);
    double s = 0;
    for (struct node *p = head; p; p = p->next) s += p->x * p->x;
    while (head) {
        struct node *p = head->next;
        free(head);
        head = p;
    }
    return s;
}

/* Two arrays that take turns. */
double in_turns(int n, double a)
{
    double *u = malloc(n * sizeof *u), *v = malloc(n * sizeof *v), s = 0;
    for (int i = 0; i < n; i++) u[i] = a * i;
#pragma cfgrev checkpoint(3)
    for (int k = 0; k < 7; k++) {
        for (int i = 0; i < n; i++) v[i] = u[i] + a * u[(i + 1) % n] * 0.1;
        double *t = u;
        u = v;
        v = t;
    }
    for (int i = 0; i < n; i++) s += u[i] * u[i];
    free(u);
    free(v);
    return s;
}

/* Nested parts, and jumps out of them. */
double left(int n, double *restrict u, double *restrict v, double a, double limit)
{
    double s = 0;
    int k = 0;
#pragma cfgrev checkpoint(snapshots = 2)
    do {
        double was[3] = {u[0], v[0], a};
#pragma cfgrev checkpoint
        for (int i = 1; i < n; i++) {
            if (i % 2 == 0 && k > 2) continue;
            u[i] += a * v[i - 1] * was[1];
            if (u[i] > limit + 1) break;
        }
#pragma cfgrev checkpoint
        {
            double q = was[0];
            for (int i = 0; i < n; i++) {
                v[i] *= 1 + 0.01 * q * u[i];
                if (u[i] > limit) goto out;
            }
            if (k == 1) continue;
        }
        s += u[n - 1] * v[0];
        if (s > limit) return s * v[1];
    } while (++k < 5);
out:
    return s + v[2] * v[2];
}

/* Statements, and statements in a row. */
double parts(int n, const double *x)
{
    double s = 1, y[16];
    /* $AD II-LOOP */
    for (int i = 0; i < n; i++) y[i] = exp(x[i]);
    /* $AD CHECKPOINT-START */
    for (int i = 0; i < n; i++) s += y[i] * sin(x[i]);
    double t = s * s;
    if (t > 1) s = sqrt(t) * x[0];
    /* $AD CHECKPOINT-END */
#pragma cfgrev checkpoint
    s = s * sin(s) + t;
    if (s > 0)
#pragma cfgrev checkpoint
        s *= cos(s);
    switch (n % 2) {
    case 1:
#pragma cfgrev checkpoint
        {
            s += y[1] * y[1];
            if (s > 100) break;
            s *= 2;
        }
    default:
        s *= y[2];
    }
    return s;
}

/* Memory whose size is known late, and memory of one pass. */
double late(int n, const double *u, double x)
{
    double s = 0;
    int m = 0;
    for (int i = 0; i < n; i++) m += 2;
    double *w = malloc(m * sizeof *w);
    for (int i = 0; i < m; i++) w[i] = u[i % n] * x;
#pragma cfgrev checkpoint(3)
    for (int k = 0; k < 6; k++) {
        double *h = malloc((m + k) * sizeof *h), g[k + 1];
        for (int i = 0; i < m; i++) h[i] = 0.1 * x * w[(i + 1) % m] * w[i];
        g[k] = h[0] * h[1];
        for (int i = 0; i < m; i++) w[i] += h[i] + g[k];
        for (int i = 0; i < n; i++) s += w[i] * w[i];
        free(h);
    }
    for (int i = 0; i < n; i++) s += w[i];
    free(w);
    return s;
}
