//@ product {"n":2,"k":3,"x":[0.3,0.5,0.7,0.2,1.1,-0.4,0.6,0.9,0.8,0.1,-0.2,0.5]}
/* Matrices with their elements on the heap, in an array of structures and returned by value. */
#include <stdlib.h>
typedef struct { int rows, cols; double *at; } matrix;
static matrix new_matrix(int rows, int cols)
{
    matrix m;
    m.rows = rows;
    m.cols = cols;
    m.at = calloc(rows * cols, sizeof(double));
    return m;
}
static matrix times(matrix a, matrix b)
{
    matrix c = new_matrix(a.rows, b.cols);
    for (int i = 0; i < a.rows; i++)
        for (int j = 0; j < b.cols; j++)
            for (int l = 0; l < a.cols; l++)
                c.at[i * c.cols + j] += a.at[i * a.cols + l] * b.at[l * b.cols + j];
    return c;
}
double product(int n, int k, const double *x)
{
    matrix *all = malloc(k * sizeof(matrix));
    for (int i = 0; i < k; i++) {
        all[i] = new_matrix(n, n);
        for (int j = 0; j < n * n; j++) all[i].at[j] = *x++;
    }
    matrix p = all[0];
    for (int i = 1; i < k; i++) {
        matrix q = times(p, all[i]);
        free(p.at);
        p = q;
        all[i - 1].at = NULL;
    }
    double trace = 0.0;
    for (int i = 0; i < n; i++) trace += p.at[i * n + i] * p.at[i * n + i];
    free(p.at);
    free(all[k - 1].at);
    free(all);
    return trace;
}
