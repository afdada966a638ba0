//@ products {"n":3,"x":[0.5,-1.25,2.0]}
//@ made {"rows":2,"cols":3,"x":[0.5,-1.25,2.0,0.25,1.5,-0.75]}
//@ resized {"n":3,"x":[0.5,-1.25,2.0]}
//@ by_value {"n":4,"x":[0.5,-1.25,2.0,0.25],"y":[1.5,0.5,-0.5,0.125]}
//@ heap {"n":3,"x":[0.5,-1.25,2.0]}
//@ pointers {"n":4,"x":[0.5,-1.25,2.0,0.25]}
//@ nested {"n":3,"x":[0.5,-1.25,2.0]}
/* Structures with pointers to numbers: made, resized and freed by functions, passed by value and by pointer. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
typedef struct { int rows, cols; double *data; } Matrix;
static void matrix_init(Matrix *m, int rows, int cols)
{
    m->rows = rows;
    m->cols = cols;
    m->data = malloc((size_t)(rows * cols) * sizeof(double));
}
static void matrix_free(Matrix *m)
{
    free(m->data);
    m->data = NULL;
}
static double *at(const Matrix *m, int i, int j) { return &m->data[i * m->cols + j]; }
static void multiply(const Matrix *a, const Matrix *b, Matrix *c)
{
    for (int i = 0; i < a->rows; i++)
        for (int j = 0; j < b->cols; j++) {
            double s = 0;
            for (int k = 0; k < a->cols; k++)
                s += *at(a, i, k) * b->data[k * b->cols + j];
            *at(c, i, j) = s;
        }
}
static double trace(Matrix m)
{
    double s = 0;
    for (int i = 0; i < m.rows; i++) s += m.data[i * m.cols + i];
    m.rows = 0;
    return s;
}
double products(int n, const double *x)
{
    Matrix a, b, c;
    matrix_init(&a, n, n);
    matrix_init(&b, n, n);
    matrix_init(&c, n, n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            *at(&a, i, j) = x[i] * (j + 1);
            b.data[i * n + j] = sin(x[j]) + i;
        }
    multiply(&a, &b, &c);
    multiply(&c, &a, &b);
    double t = trace(b) + trace(c);
    matrix_free(&a);
    matrix_free(&b);
    matrix_free(&c);
    return t * a.rows;
}
static Matrix view(int rows, int cols, double *data)
{
    Matrix m = {rows, cols, data};
    return m;
}
static Matrix transposed(Matrix m)
{
    Matrix t;
    matrix_init(&t, m.cols, m.rows);
    for (int i = 0; i < m.rows; i++)
        for (int j = 0; j < m.cols; j++) t.data[j * t.cols + i] = m.data[i * m.cols + j];
    return t;
}
double made(int rows, int cols, double *x)
{
    Matrix m = view(rows, cols, x), g = {.data = NULL};
    Matrix t = transposed(m);
    matrix_init(&g, rows, rows);
    multiply(&m, &t, &g);
    double s = trace(g);
    t = m;
    t.data[0] *= 2;
    return s + x[0] * trace(view(1, 1, &x[1]));
}
static void resize(Matrix *m, int rows, int cols)
{
    if (rows * cols != m->rows * m->cols) {
        free(m->data);
        m->data = malloc(sizeof(double) * rows * cols);
    }
    m->rows = rows;
    m->cols = cols;
}
static void scaled_sum(const double *x, int n, Matrix *out)
{
    resize(out, n, 1);
    for (int i = 0; i < n; i++) out->data[i] = (i + 1) * x[i];
}
double resized(int n, const double *x)
{
    Matrix work = {0, 0, NULL};
    double s = 0;
    for (int k = 1; k <= n; k++) {
        scaled_sum(x, k, &work);
        for (int i = 0; i < work.rows; i++) s += work.data[i] * work.data[i] / k;
    }
    resize(&work, 1, 1);
    work.data[0] = s;
    s *= work.data[0];
    matrix_free(&work);
    return s;
}
struct Span { const double *from; int count; double w[2]; };
static double total(struct Span s)
{
    double t = 0;
    while (s.count-- > 0) t += *s.from++ * s.w[0];
    return t + s.w[1];
}
static struct Span half(struct Span s, int second)
{
    if (second) s.from += s.count / 2;
    s.count -= s.count / 2;
    s.w[second] *= 3;
    return s;
}
double by_value(int n, const double *x, const double *y)
{
    struct Span s = {x, n, {2, 0.5}}, t;
    t = half(s, 1);
    double r = total(s) * total(t) + total(half(s, 0));
    struct Span chosen = r > 0 ? t : s;
    chosen.w[1] = r;
    for (int i = 0; i < 2; i++) {
        r += total(chosen);
        chosen = half((struct Span){.count = n, .from = y, .w = {r, 1}}, i);
    }
    return r;
}
static Matrix *matrix_new(int rows, int cols)
{
    Matrix *m = malloc(sizeof *m);
    if (!m) return NULL;
    matrix_init(m, rows, cols);
    if (m->data == NULL) return NULL;
    return m;
}
static void matrix_delete(Matrix *m)
{
    if (m == NULL) return;
    matrix_free(m);
    free(m);
}
double heap(int n, const double *x)
{
    Matrix *a = matrix_new(n, 1), *b = matrix_new(1, n), *c = matrix_new(1, 1);
    if (!a || !b || c == NULL) exit(1);
    for (int i = 0; i < n; i++) {
        a->data[i] = x[i];
        *at(b, 0, i) = x[i] * x[i];
    }
    multiply(b, a, c);
    double s = c->data[0];
    const Matrix *again = c;
    s += again->data[0] * trace(*again);
    matrix_delete(a);
    matrix_delete(b);
    matrix_delete(c);
    return s;
}
static double *copied(const double *x, int n)
{
    double *y = malloc(n * sizeof *y);
    memcpy(y, x, n * sizeof *y);
    return y;
}
static void allocate(double **out, int n)
{
    *out = calloc(n, sizeof **out);
    (*out)[n - 1] = 1;
}
static const double *larger(const double *x, const double *y)
{
    if (x[0] > y[0]) return x;
    return y;
}
static void advance(const double **p, double *sum)
{
    *sum += **p;
    ++*p;
}
double pointers(int n, const double *x)
{
    double *y = copied(x, n), *z;
    allocate(&z, n);
    for (int i = 0; i < n; i++) y[i] *= z[i] + x[i];
    const double *p = larger(y, x);
    const double *q = larger(x + 1, y), *r = larger(x, x + 2);
    double s = p[1] + q[0] * r[0];
    advance(&p, &s);
    advance(&p, &s);
    free(y);
    free(z);
    return s * *p;
}
struct Layer { Matrix weights; double bias; };
struct Network { struct Layer first, second; Matrix *shared; int used; };
static double apply(const struct Layer *l, double x)
{
    return tanh(l->weights.data[0] * x + l->bias);
}
static double run(struct Network *net, double x)
{
    net->used++;
    return apply(&net->second, apply(&net->first, x)) + net->shared->data[1];
}
double nested(int n, const double *x)
{
    Matrix shared;
    matrix_init(&shared, n, 1);
    for (int i = 0; i < n; i++) shared.data[i] = x[i] * i;
    double u[1] = {x[0]}, v[1] = {x[1] * x[2]};
    struct Network net = {.first = {{1, 1, u}, 0.25}, .second.bias = 0.5, .shared = &shared};
    net.second.weights = view(1, 1, v);
    double s = run(&net, x[0]);
    u[0] *= 2;
    s += run(&net, s) * net.used;
    net.first = net.second;
    return s + run(&net, s);
}
