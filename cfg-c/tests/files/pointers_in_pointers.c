/* Matrices as pointers to rows and as structures, where the program is entered. */
#include <math.h>
#include <stdlib.h>

struct mat { int rows, cols; double *data; };
struct layer { int inputs, outputs; double **weights; double *bias; double gain[2]; };
struct net { int depth; struct layer *layers; double scale; };
struct link { double *row; struct link *next; };

/* Rows are exchanged by their pointers. */
//@ eliminated {"n": 3, "a": [[0.5, 1, 2], [1, 5, 3], [2, 3, 6]], "b": [1, 2, 3]}
//@ eliminated {"n": 1, "a": [[2]], "b": [1]}
double eliminated(int n, double **a, double *b)
{
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(a[i][k]) > fabs(a[p][k]))
                p = i;
        double *row = a[k];
        a[k] = a[p];
        a[p] = row;
        double t = b[k];
        b[k] = b[p];
        b[p] = t;
        for (int i = k + 1; i < n; i++) {
            double f = a[i][k] / a[k][k];
            for (int j = k; j < n; j++)
                a[i][j] -= f * a[k][j];
            b[i] -= f * b[k];
        }
    }
    double x = 0.0;
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            b[k] -= a[k][j] * b[j];
        b[k] /= a[k][k];
        x += b[k] * (k + 1);
    }
    return x;
}

/* Rows of any length, some of which are not there. */
//@ ragged {"n": 4, "length": [2, 0, 1, 3], "a": [[1, 2], null, [3], [4, 5, 6]]}
double ragged(int n, const int *length, double **a)
{
    double s = 0.0;
    double **end = a + n;
    for (double **row = a; row != end; row++, length++) {
        if (*row == NULL)
            continue;
        for (int j = 0; j < *length; j++)
            s += (*row)[j] * (*row)[j] * (j + 1);
        **row = s;
    }
    return s;
}

/* The product of two, into a third. */
//@ product {"a": [{"rows": 2, "cols": 2, "data": [1, 2, 3, 4]}], "b": [{"rows": 2, "cols": 1, "data": [5, 6]}], "c": [{"rows": 2, "cols": 1, "data": [0, 0]}]}
void product(const struct mat *a, const struct mat *b, struct mat *c)
{
    c->rows = a->rows;
    c->cols = b->cols;
    for (int i = 0; i < c->rows; i++)
        for (int j = 0; j < c->cols; j++) {
            double s = 0.0;
            for (int k = 0; k < a->cols; k++)
                s += a->data[i * a->cols + k] * b->data[k * b->cols + j];
            c->data[i * c->cols + j] = s;
        }
}

/* One by value, and several behind a pointer. */
//@ trace {"m": {"rows": 2, "cols": 2, "data": [1, 2, 3, 4]}, "n": 2, "all": [{"rows": 1, "cols": 1, "data": [7]}, {"rows": 2, "cols": 2, "data": [5, 6, 7, 8]}]}
double trace(struct mat m, int n, struct mat *all)
{
    double t = 0.0;
    for (int i = 0; i < m.rows; i++)
        t += m.data[i * m.cols + i];
    m.data = all->data;
    for (int k = 0; k < n; k++)
        for (int i = 0; i < all[k].rows; i++)
            t *= all[k].data[i * all[k].cols + i];
    return t + m.data[0];
}

/* Structures that lead to structures that lead to rows. */
//@ forward {"net": [{"depth": 2, "layers": [{"inputs": 2, "outputs": 3, "weights": [[0.5, -1], [1, 2], [0.25, 0.125]], "bias": [0.1, 0.2, 0.3], "gain": [1, 2]}, {"inputs": 3, "outputs": 1, "weights": [[1, -1, 0.5]], "bias": [0.5], "gain": [0.5, 0.25]}], "scale": 2}], "x": [1, -0.5, 0]}
double forward(struct net *net, double *x)
{
    for (struct layer *l = net->layers; l < net->layers + net->depth; l++) {
        double *y = malloc(l->outputs * sizeof *y);
        for (int i = 0; i < l->outputs; i++) {
            y[i] = l->bias[i];
            for (int j = 0; j < l->inputs; j++)
                y[i] += l->weights[i][j] * x[j];
        }
        for (int i = 0; i < l->outputs; i++)
            x[i] = l->gain[0] * tanh(l->gain[1] * y[i]);
        free(y);
    }
    return x[0] * net->scale;
}

/* Three steps to a number. */
//@ deep {"a": [[[1, 2], [3]], [[4, 5, 6]]]}
double deep(double ***a)
{
    double **t = a[0];
    a[0] = a[1];
    a[1] = t;
    return a[0][0][2] * a[1][1][0] + a[1][0][1];
}

/* Pointers to rows in a list. */
//@ listed {"n": 3, "rows": [[1, 2], [3], [4]]}
double listed(int n, double **rows)
{
    struct link *list = NULL;
    for (int i = 0; i < n; i++) {
        struct link *made = malloc(sizeof *made);
        made->row = rows[i];
        made->next = list;
        list = made;
    }
    double s = 0.0;
    while (list) {
        struct link *next = list->next;
        s = sin(s) + list->row[0];
        free(list);
        list = next;
    }
    return s;
}
