//@ energy {"n":3,"start":[0,2,3,5],"column":[0,2,1,0,2],"value":[2.0,0.5,3.0,0.25,1.5],"x":[1.0,2.0,3.0]}
//@ power {"m":[{"n":3,"start":[0,2,3,5],"column":[0,2,1,0,2],"value":[2.0,0.5,3.0,0.25,1.5]}],"x":[1.0,2.0,3.0],"rounds":2}
#include <math.h>
#include <stdlib.h>
double energy(int n, const int *start, const int *column, const double *value, const double *x)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        for (int k = start[i]; k < start[i + 1]; k++) s += x[i] * value[k] * x[column[k]];
    return s;
}
struct matrix { int n, start[4], column[5]; double value[5]; };
static void multiply(const struct matrix *m, const double *x, double *y)
{
    for (int i = 0; i < m->n; i++) {
        y[i] = 0;
        for (int k = m->start[i]; k < m->start[i + 1]; k++) y[i] += m->value[k] * x[m->column[k]];
    }
}
double power(const struct matrix *m, const double *x, int rounds)
{
    double a[3], b[3], *v = a, *w = b, norm = 0;
    for (int i = 0; i < 3; i++) v[i] = x[i];
    while (rounds--) {
        multiply(m, v, w);
        norm = 0;
        for (int i = 0; i < 3; i++) norm += w[i] * w[i];
        norm = sqrt(norm);
        for (int i = 0; i < 3; i++) w[i] /= norm;
        double *t = v;
        v = w, w = t;
    }
    return norm * v[0];
}
