//@ hand {"n":2,"theta":[0.3,-0.4,0.5,0.7],"points":[1,2,3,0.5,-1,0.25]}
//@ hand {"n":1,"theta":[0.3,-0.4],"points":[1,2,3]}
/* Kinematics with matrices on the heap, which the functions that multiply and copy them give the size that is needed. */
#include <stdlib.h>
#include <string.h>
#include <math.h>
typedef struct { int nrows, ncols; double *data; } Matrix;
static Matrix *get_new_matrix(int nrows, int ncols)
{
    Matrix *mat = (Matrix *)malloc(sizeof(Matrix));
    mat->nrows = nrows;
    mat->ncols = ncols;
    mat->data = (double *)malloc(nrows * ncols * sizeof(double));
    return mat;
}
static Matrix *get_new_empty_matrix(void)
{
    Matrix *mat = (Matrix *)malloc(sizeof(Matrix));
    mat->nrows = 0;
    mat->ncols = 0;
    mat->data = NULL;
    return mat;
}
static void delete_matrix(Matrix *mat)
{
    if (mat->data != NULL) {
        free(mat->data);
    }
    free(mat);
}
static void resize(Matrix *mat, int nrows, int ncols)
{
    if (mat->nrows * mat->ncols != nrows * ncols) {
        if (mat->data != NULL) {
            free(mat->data);
        }
        if (nrows * ncols > 0) {
            mat->data = (double *)malloc(nrows * ncols * sizeof(double));
        } else {
            mat->data = NULL;
        }
    }
    mat->nrows = nrows;
    mat->ncols = ncols;
}
static void set_identity(Matrix *mat)
{
    int i, j;
    for (i = 0; i < mat->ncols; i++) for (j = 0; j < mat->nrows; j++) mat->data[i * mat->nrows + j] = i == j ? 1.0 : 0.0;
}
static void mat_mult(const Matrix *restrict lhs, const Matrix *restrict rhs, Matrix *restrict out)
{
    int i, j, k;
    resize(out, lhs->nrows, rhs->ncols);
    for (i = 0; i < lhs->nrows; i++) for (k = 0; k < rhs->ncols; k++) {
        out->data[i + k * out->nrows] = lhs->data[i + 0 * lhs->nrows] * rhs->data[0 + k * rhs->nrows];
        for (j = 1; j < lhs->ncols; j++) out->data[i + k * out->nrows] += lhs->data[i + j * lhs->nrows] * rhs->data[j + k * rhs->nrows];
    }
}
static void copy(Matrix *dst, const Matrix *src)
{
    if (dst->data != NULL) {
        free(dst->data);
    }
    dst->ncols = src->ncols;
    dst->nrows = src->nrows;
    dst->data = (double *)malloc(dst->ncols * dst->nrows * sizeof(double));
    for (int i = 0; i < dst->ncols * dst->nrows; i++) dst->data[i] = src->data[i];
}
static void euler(const double *xyz, Matrix *R)
{
    double tx = xyz[0], tz = xyz[1];
    Matrix *Rx = get_new_matrix(3, 3), *Rz = get_new_matrix(3, 3);
    set_identity(Rx);
    Rx->data[4] = cos(tx);
    Rx->data[5] = sin(tx);
    Rx->data[7] = -Rx->data[5];
    Rx->data[8] = Rx->data[4];
    set_identity(Rz);
    Rz->data[0] = cos(tz);
    Rz->data[1] = sin(tz);
    Rz->data[3] = -Rz->data[1];
    Rz->data[4] = Rz->data[0];
    mat_mult(Rz, Rx, R);
    delete_matrix(Rx);
    delete_matrix(Rz);
}
double hand(int n, const double *theta, const double *points)
{
    Matrix *acc = get_new_matrix(3, 3), *tmp = get_new_empty_matrix(), *R = get_new_empty_matrix(), *p = get_new_matrix(3, 1), *q = get_new_empty_matrix();
    set_identity(acc);
    double err = 0;
    for (int i = 0; i < n; i++) {
        euler(theta + 2 * i, R);
        mat_mult(acc, R, tmp);
        copy(acc, tmp);
        for (int k = 0; k < 3; k++) p->data[k] = points[3 * i + k];
        mat_mult(acc, p, q);
        for (int k = 0; k < 3; k++) err += (q->data[k] - 0.5) * (q->data[k] - 0.5);
    }
    delete_matrix(acc);
    delete_matrix(tmp);
    delete_matrix(R);
    delete_matrix(p);
    delete_matrix(q);
    return err;
}
