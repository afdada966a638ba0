//@ late {"n": 3, "x": [1, 2, 3]}
//@ pascal {"n": 4, "t": 0.75}
//@ blocks {"n": 5, "x": [0.5, 1.5, -1, 2, 0.25], "step": 2}
/* Arrays of variable length whose extents are computed: in functions in place of their calls, in loops, of two dimensions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
typedef struct {
    int n;
    double *d;
} vec;

static double *accumulated(double *a, int n)
{
    double t[n];
    t[0] = a[0];
    for (int i = 1; i < n; i++)
        t[i] = t[i - 1] * a[i];
    for (int i = 0; i < n; i++)
        a[i] = t[i];
    return a;
}

static void smooth(vec *v)
{
    double w[v->n];
    for (int i = 0; i < v->n; i++)
        w[i] = (v->d[i] + v->d[(i + 1) % v->n]) / 2;
    for (int i = 0; i < v->n; i++)
        v->d[i] = w[i];
}

static void resize(vec *v, int n)
{
    v->d = realloc(v->d, n * sizeof(double));
    for (int i = v->n; i < n; i++)
        v->d[i] = i;
    v->n = n;
}

double late(int n, const double *x)
{
    vec v = {n, malloc(n * sizeof(double))};
    for (int i = 0; i < n; i++)
        v.d[i] = x[i];
    for (int k = 1; k <= n; k++)
        accumulated(v.d, k);
    resize(&v, n + 2);
    smooth(&v);
    double s = 0;
    for (int i = 0; i < v.n; i++)
        s += v.d[i] * (i + 1);
    free(v.d);
    return s;
}

static double trace(int m, double a[m][m])
{
    double s = 0;
    for (int i = 0; i < m; i++)
        s += a[i][m - 1 - i];
    return s;
}

double pascal(int n, double t)
{
    double s = 0;
    for (int k = 1; k <= n; k++) {
        int m = k + (k > 2);
        double a[m][m];
        for (int i = 0; i < m; i++)
            for (int j = 0; j < m; j++)
                a[i][j] = i && j ? t * a[i - 1][j] + sin(a[i][j - 1]) : 1 + t;
        double *last = a[m - 1], *p = last + m;
        while (p-- > last)
            s += *p;
        s += trace(m, a);
    }
    return s;
}

static double sum(const double *a, size_t n)
{
    double s = 0;
    while (n--)
        s += *a++;
    return s;
}

double blocks(int n, const double *x, int step)
{
    double s = 0;
    for (int from = 0; from < n; from += step) {
        int count = n - from < step ? n - from : step;
        double block[count + 1], copy[count];
        block[count] = from;
        memcpy(block, x + from, count * sizeof(double));
        memcpy(copy, block, count * sizeof *copy);
        for (int i = 0; i < count; i++)
            block[i] *= copy[count - 1 - i];
        if (count < step) {
            s += block[0];
            break;
        }
        s += sum(block, count + 1);
    }
    return s;
}
