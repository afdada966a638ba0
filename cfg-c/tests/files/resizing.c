//@ doubled {"n":7,"x":[0.5,-1.25,2.0,0.25,1.5,-0.75,3.0]}
//@ from_null {"n":4,"x":[0.5,-1.25,2.0,0.25]}
//@ shrunk {"n":5,"x":[0.5,-1.25,2.0,0.25,1.5]}
//@ stack {"n":6,"x":[0.5,-1.25,2.0,0.25,1.5,-0.75]}
//@ by_function {"n":3,"x":[0.5,-1.25,2.0]}
//@ two {"n":4,"x":[0.5,-1.25,2.0,0.25]}
/* Memory that gets another size and keeps its elements. */
#include <math.h>
#include <stdlib.h>
double doubled(int n, const double *x)
{
    int room = 2, used = 0;
    double *w = malloc(room * sizeof *w);
    for (int i = 0; i < n; i++) {
        if (used == room) {
            room *= 2;
            w = realloc(w, room * sizeof *w);
        }
        w[used++] = x[i] * x[i];
        w[0] += sin(x[i]);
    }
    double s = 0;
    for (double *p = w; p < w + used; p++) s += *p * (1 + (p - w));
    free(w);
    return s;
}
double from_null(int n, const double *x)
{
    double *w = NULL, s = 0;
    for (int i = 1; i <= n; i++) {
        double *more = (double *)realloc(w, sizeof(double) * i);
        if (!more) {
            free(w);
            return -1;
        }
        w = more;
        w[i - 1] = x[i - 1] * s;
        for (int j = 0; j < i; j++) s += w[j] + 0.25;
    }
    free(w);
    return s;
}
double shrunk(int n, const double *x)
{
    double *w = calloc(n, sizeof *w);
    for (int i = 0; i < n; i += 2) w[i] = x[i] * x[i + 1 < n ? i + 1 : 0];
    w = realloc(w, 3 * sizeof(double));
    w = realloc(w, (n + 1) * sizeof(double));
    w[n] = w[2] * w[1] + w[0];
    double s = w[n] * w[n];
    free(w);
    return s;
}
typedef struct { int used, room; double *top; } Stack;
static void push(Stack *s, double x)
{
    if (s->used >= s->room) {
        s->room = 2 * s->room + 1;
        s->top = realloc(s->top, s->room * sizeof *s->top);
    }
    s->top[s->used++] = x;
}
static double pop(Stack *s) { return s->used > 0 ? s->top[--s->used] : 1.0; }
double stack(int n, const double *x)
{
    Stack s = {0, 0, NULL};
    for (int i = 0; i < n; i++) {
        push(&s, x[i]);
        if (x[i] < 0) push(&s, pop(&s) * pop(&s));
    }
    double r = 0;
    while (s.used) r = 0.5 * r + pop(&s) * (s.used + 1);
    free(s.top);
    return r + pop(&s);
}
double two(int n, const double *x)
{
    double *a = malloc(n * sizeof *a), *b = malloc(sizeof *b), *p;
    for (int i = 0; i < n; i++) a[i] = x[i];
    b[0] = x[0] * x[1];
    p = x[1] > 0 ? a : b;
    p = realloc(p, 2 * n * sizeof *p);
    p[2 * n - 1] = p[0];
    return p[2 * n - 1] * a[0] * a[n - 1];
}
static double *grown(double *p, int n) { return realloc(p, n * sizeof *p); }
double by_function(int n, const double *x)
{
    double *p = grown(NULL, n);
    for (int i = 0; i < n; i++) p[i] = x[i] * x[i];
    p = grown(p, n + 1);
    p[n] = p[0];
    return p[n] + p[1];
}
