//@ work {"n":4,"x":[1.5,2.0,-0.5,3.0]}
//@ early {"n":3,"x":[1.5,2.0,-0.5]}
//@ early {"n":3,"x":[1.5,2.0,4.5]}
//@ grown {"n":3,"x":[1.5,2.0,4.5]}
//@ matrix {"n":3,"x":[1.5,2.0,4.5]}
//@ pieces {"n":3,"x":[1.5,2.0,4.5]}
//@ typed {"n":2,"x":[1.5,2.0]}
//@ zeros {"n":3,"x":[1.5,2.0,4.5]}
//@ swapped {"n":3,"steps":3,"x":[1.5,2.0,4.5]}
/* Memory from malloc and calloc. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
double work(int n, const double *x)
{
    double *w = malloc(n * sizeof(double)), s = 0;
    if (!w) return -1;
    for (int i = 0; i < n; i++) w[i] = x[i] * x[i];
    for (int i = 1; i < n; i++) s += w[i] * w[i - 1];
    free(w);
    return s;
}
double early(int n, const double *x)
{
    double *w, *v, s = 0;
    w = (double *) malloc(sizeof(*w) * (size_t) n);
    v = calloc(n, sizeof *v);
    if (w == NULL || v == NULL) {
        fprintf(stderr, "no memory\n");
        return 0;
    }
    for (int i = 0; i < n; i++) {
        w[i] = sqrt(fabs(x[i]));
        if (x[i] > 4) {
            s = w[i] * v[i] + w[0];
            goto done;
        }
        v[n - 1 - i] += w[i];
    }
    for (int i = 0; i < n; i++) s += v[i] * w[i];
done:
    free(v);
    free(w);
    return s;
}
double grown(int n, const double *x)
{
    double s = 0;
    int m = 1;
    for (int k = 0; k < n; k++) {
        m = m + k;
        double *w = malloc(sizeof(double) * m + sizeof(double));
        for (int i = 0; i <= m; i++) w[i] = x[k] * (i + 1);
        s += w[m] * w[0];
        free(w);
    }
    return s;
}
double matrix(int n, const double *x)
{
    double (*a)[n] = malloc(n * sizeof *a), s = 0;
    double *b = malloc((n * n) * sizeof(double));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) a[i][j] = x[i] * x[j], b[i * n + j] = a[i][j] + i;
    for (int i = 0; i < n; i++) s += a[i][n - 1 - i] * b[i * n + i];
    free(a);
    free(b);
    return s;
}
static double total(const double *v, int n) { double s = 0; while (n-- > 0) s += *v++; return s; }
double pieces(int n, const double *x)
{
    double *w = malloc(3 * n * sizeof *w), *a = w, *b = a + n, *c = &w[2 * n];
    for (int i = 0; i < n; i++) {
        a[i] = x[i];
        b[i] = a[i] * x[0];
        c[i] = b[i] * x[n - 1 - i];
    }
    double s = total(w, 3 * n) * total(b, n);
    free(w);
    return s;
}
typedef struct { double x, v; } State;
double typed(int n, const double *x)
{
    State *s = malloc(n * sizeof(State)), *end = s + n;
    int *order = malloc(n * sizeof *order);
    double r = 0;
    for (int i = 0; i < n; i++) {
        s[i].x = x[i];
        s[i].v = x[i] * x[i];
        order[i] = n - 1 - i;
    }
    for (State *p = s; p < end; p++) r += p->x * p->v * (order[p - s] + 1);
    free(s), free(order);
    return r;
}
double zeros(int n, const double *x)
{
    int m = n;
    m += 2;
    double *w = calloc((size_t) m, sizeof(double)), *p = w, s = 0;
    for (int i = 0; i < n; i++) *++p = x[i] * x[i];
    for (p = w; p < w + m; p++) s = s * 0.5 + *p;
    memset(w + 1, 0, (m - 2) * sizeof(double));
    for (int i = 0; i < m; i++) s += w[i] * 3 + i;
    free(w);
    return s;
}
double swapped(int n, int steps, const double *x)
{
    double *cur = malloc(n * sizeof(double)), *next = malloc(n * sizeof(double)), s = 0;
    memcpy(cur, x, n * sizeof(double));
    for (int k = 0; k < steps; k++) {
        for (int i = 0; i < n; i++) next[i] = cur[i] * cur[(i + 1) % n] * 0.5;
        double *t = cur; cur = next; next = t;
    }
    for (int i = 0; i < n; i++) s += cur[i];
    free(cur);
    free(next);
    return s;
}
