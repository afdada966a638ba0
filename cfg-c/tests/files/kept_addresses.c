//@ f {"n":4,"x":[0.5,0.7,1.1,1.3]}
#include <stdio.h>
#define N 8
static double buffer[2 * N], spare[N];
static double *work = buffer;
static double *halves[2] = { buffer, buffer + N };
struct state { const char *name; double *data; int n; };
static struct state states[] = { { "first", buffer, N }, { "second", &buffer[N], N }, { .name = "spare", .data = spare, .n = N } };
static struct state *current = &states[0];

static void load(struct state *s, const double *x, int n)
{
    for (int i = 0; i < s->n; i++) s->data[i] = i < n ? x[i] * x[i] : 1.0;
}
static double total(const struct state *s)
{
    double t = 0;
    for (const double *p = s->data; p < s->data + s->n; p++) t += *p;
    return t;
}
double f(int n, const double *x)
{
    double y = 0;
    for (int k = 0; k < 3; k++) {
        current = &states[k];
        load(current, x, n - k);
        y = 0.5 * y + total(current) * (k + 1);
    }
    work[1] *= 2;
    for (int k = 0; k < 2; k++) y += halves[k][1] * work[0];
    if (y < 0) printf("%s\n", current->name);
    return y;
}
