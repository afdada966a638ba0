//@ flat_parameter {"n":2,"m":3,"a":[[1.1,0.2,0.3],[0.4,0.5,0.6]],"x":[1.5,2.5,3,4,5,6]}
//@ flat_walks {"n":2,"x":[1.5,2.5,0.5]}
//@ flat_cube {"x":[0.3,0.7]}
//@ flat_static {"t":0.4}
//@ flat_and_rows {"n":4,"x":[0.3,0.7,0.2,0.9]}
//@ flat_outputs {"x":[0.3,0.7],"y":[[0.1,0.2],[0.3,0.4],[0.5,0.6]]}
//@ flat_singles {"x":1.5}
/* Matrices of which the elements are gone through as one sequence. */
#include <string.h>
#include <math.h>
#include <stddef.h>
static double norm(const double *a, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += a[i] * a[i] * (i + 1);
    return s;
}
static void axpy(int n, double t, const double *x, double *y)
{
    while (n--)
        *y++ += t * *x++;
}
static void scale(int n, int m, double a[n][m], double t)
{
    double *p = (double *)a;
    for (int k = 0; k < n * m; k++)
        p[k] *= t;
}
double flat_parameter(int n, int m, double a[n][m], const double *x)
{
    double b[3][2], c[3][2];
    memset(b, 0, sizeof b);
    memset(&c[0][0], 0, 6 * sizeof(double));
    axpy(6, 2.0, x, &b[0][0]);
    axpy(2, 2.0, x, b[1]);
    axpy(6, 1.5, *b, *c);
    memcpy(&b[0][0], c, sizeof c);
    memcpy(b, x, 4 * sizeof(double));
    memcpy(c[0], x, 2 * sizeof(double));
    scale(3, 2, c, 0.5);
    return norm(&a[0][0], n * m) + norm(a[0], m) + norm(*b, 6) + norm((double *)c, 6) + norm(c[0] + 3, 3);
}
double flat_walks(int n, const double *x)
{
    double a[3][4], s = 0;
    double *p = (double *)a, *const end = &a[0][0] + 12, *q;
    for (int k = 0; k < 12; k++)
        p[k] = x[k % 3] + k;
    for (q = a[0]; q < end; q++)
        s += *q * *q;
    for (q = &a[0][0]; q != a[0] + 12; q += 3)
        s = sin(s) + q[1];
    while (q > a[0])
        s += *--q * x[n];
    ptrdiff_t d = end - p;
    q = n > 1 ? a[0] : *a;
    q += 5;
    *q = s;
    return a[1][1] * a[2][3] + d;
}
double flat_cube(const double *x)
{
    double a[2][3][2], b[2][3][2], s = 1;
    double *p = &a[0][0][0];
    for (int k = 0; k < 12; k++)
        *p++ = x[k % 2] * k;
    memcpy(b, a, sizeof b);
    memcpy(&b[0][0][0], &a[0][0][0], 7 * sizeof(double));
    axpy(12, 0.5, a[0][0], b[0][0]);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            s += b[i][j][1] * b[1][2][0] * (i + j);
    return s + norm(b[1][0], 2) + norm(**b, 12);
}
static double table[2][3];
double flat_static(double t)
{
    static double kept[2][2];
    double *p = table[0], *q = &kept[0][0];
    for (int k = 0; k < 6; k++)
        p[k] = t * k;
    for (int k = 0; k < 4; k++)
        q[k] = p[k] * p[k + 2];
    return table[1][2] * kept[1][1] + kept[0][1];
}
double flat_and_rows(int n, const double *x)
{
    double u[2][4], *old = u[0], *now = u[1], *t, *all = u[0], s = 0;
    for (int i = 0; i < n; i++)
        old[i] = x[i];
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < n; i++)
            now[i] = old[i] * old[(i + 1) % n] + 0.1;
        t = old;
        old = now;
        now = t;
    }
    double *row = all + 4;
    for (int i = 0; i < 8; i++)
        s += all[i] * (i + 1);
    now = row;
    return s + now[1] + old[n - 1];
}
void flat_outputs(const double *x, double y[3][2])
{
    double *p = &y[0][0];
    int k;
    for (k = 0; k < 6; k++)
        p[k] = p[k] * x[0] + x[1];
    axpy(4, x[0], y[0], y[0]);
    axpy(4, x[1], &y[0][0] + 2, y[0]);
}

static void pour(double *to, double by) { *to += by; }
static double swapped(double *a, double *b)
{
    double t = *a;
    *a = *b;
    *b = t * t;
    return *a;
}
double flat_singles(double x)
{
    double v[2][3] = {{x, 0.5 * x, 2 * x}, {x, 3.0, x * x}};
    pour(&(v[0] + 0)[5], x);
    pour(&(v[0] + 0)[1], 2 * x);
    pour(v[0] + 4, x * x);
    pour(&v[1][2], x);
    return swapped(v[0] + 3, &v[0][2]) * v[1][2] * v[1][1] + v[0][2] + v[0][1];
}
