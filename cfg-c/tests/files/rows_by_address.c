/* Rows of matrices of any number of rows are handed on while structures have pointers. */
#include <math.h>

typedef double rvec[3];

struct topology {
    int n;
    double *charge;
};

static double iprod(const rvec a, const rvec b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void axpy(double s, const double *a, double *b)
{
    for (int k = 0; k < 3; k++)
        b[k] += s * a[k];
}

/* The matrix is handed on as a whole and from a row on. */
static double pairs(const struct topology *top, int n, const rvec *x, rvec *f)
{
    double sum = 0;
    for (int j = 1; j < n; j++) {
        double d = iprod(x[j], x[0]), q = top->charge[0] * top->charge[j];
        sum += q / sqrt(1 + d * d);
        axpy(q * d, x[j], f[0]);
        axpy(q, x[0], f[j]);
    }
    return n > 2 ? sum + pairs(top, n - 1, x + 1, f + 1) : sum;
}

//@ energy {"top": [{"n": 3, "charge": [0.5, -1, 2]}], "x": [[1, 2, 3], [0.5, -1, 0.25], [2, 1, -1]]}
//@ energy {"top": [{"n": 2, "charge": [0.5, -1, 2]}], "x": [[1, 2, 3], [0.5, -1, 0.25]]}
double energy(const struct topology *top, const double x[][3])
{
    rvec f[3] = {{0}};
    double sum = pairs(top, top->n, x, f);
    const rvec *last = x + top->n - 1;
    for (int i = 0; i < top->n; i++)
        sum += iprod(f[i], *last);
    return sum;
}

//@ forces {"top": [{"n": 2, "charge": [0.5, -1]}], "n": 2, "x": [[1, 2, 3], [0.5, -1, 0.25]], "f": [[0, 0, 0], [1, 2, 3]]}
void forces(struct topology *top, int n, const double x[][3], double f[][3])
{
    pairs(top, n, x, f);
}
