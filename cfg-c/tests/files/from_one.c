//@ determinant {"in": [4, 1, 0.5, 1, 5, 1, 0.5, 1, 6], "n": 3}
//@ chain {"lower": [0, 1, 1, 1], "middle": [4, 4, 4, 4], "upper": [1, 1, 1, 0], "r": [1, 2, 3, 4], "n": 4}
//@ neville {"xs": [1, 2, 3, 4], "ys": [1, 0.5, 0.33, 0.25], "n": 4, "x": 2.7}
//@ series {"x": 2.5}
//@ series {"x": -0.5}
/* Arrays and matrices with subscripts from 1, `a - 1`; assignments in conditions, macros that keep their arguments, static tables. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void fail(const char *what)
{
	fprintf(stderr, "failed: %s\n", what);
	exit(1);
}

/* A vector with subscripts low to high. */
static double *vector_from(long low, long high)
{
	double *v = (double *)malloc((size_t)((high - low + 2) * sizeof(double)));

	if (!v) fail("no memory for a vector");
	return v - low + 1;
}

static void free_vector(double *v, long low)
{
	free((char *)(v + low - 1));
}

/* A matrix with rows and columns from such subscripts, in one block. */
static double **matrix_from(long r, long rows, long c, long columns)
{
	long i;
	double **m = (double **)malloc((size_t)(rows * sizeof(double *)));

	if (!m) fail("no memory for rows");
	m -= r;
	m[r] = (double *)malloc((size_t)(rows * columns * sizeof(double)));
	if (m[r] == NULL) fail("no memory for a matrix");
	m[r] -= c;
	for (i = r + 1; i < r + rows; i++) m[i] = m[i - 1] + columns;
	return m;
}

static void free_matrix(double **m, long r, long c)
{
	free((char *)(m[r] + c));
	free((char *)(m + r));
}

double determinant(const double *in, int n)
{
	double **a = matrix_from(1, n, 1, n), d = 1.;
	int i, j, k;

	for (i = 1; i <= n; i++)
		for (j = 1; j <= n; j++)
			a[i][j] = *in++;
	for (k = 1; k <= n; k++) {
		d *= a[k][k];
		for (i = k + 1; i <= n; i++) {
			double f = a[i][k] / a[k][k];
			for (j = k; j <= n; j++) a[i][j] -= f * a[k][j];
		}
	}
	free_matrix(a, 1, 1);
	return d;
}

static void eliminate(double lower[], double middle[], double upper[], double r[], double x[], int n)
{
	int k;
	double p, *factor = vector_from(1, n);

	if ((p = middle[1]) == 0.0) fail("the first pivot is 0");
	for (x[1] = r[1] / p, k = 2; k <= n; k++) {
		factor[k] = upper[k - 1] / p;
		if ((p = middle[k] - lower[k] * factor[k]) == 0.0) fail("a pivot is 0");
		x[k] = (r[k] - lower[k] * x[k - 1]) / p;
	}
	for (k = n - 1; k >= 1; k--) x[k] -= factor[k + 1] * x[k + 1];
	free_vector(factor, 1);
}

double chain(double *lower, double *middle, double *upper, double *r, int n)
{
	double x[10], s = 0.;
	int k;

	eliminate(lower - 1, middle - 1, upper - 1, r - 1, x - 1, n);
	for (k = 0; k < n; k++) s += (k + 1) * x[k];
	return s;
}

double neville(double xs[], double ys[], int n, double x)
{
	double *p = vector_from(1, n), y;
	int i, k;

	--xs;
	ys--;
	for (i = 1; i <= n; i++) p[i] = ys[i];
	for (k = 1; k < n; k++)
		for (i = 1; i <= n - k; i++)
			p[i] = ((x - xs[i + k]) * p[i] + (xs[i] - x) * p[i + 1]) / (xs[i] - xs[i + k]);
	y = p[1];
	free_vector(p, 1);
	return y;
}

static double kept;
#define SQUARE(a) ((kept = (a)) == 0.0 ? 0.0 : kept * kept)
static int first_, second_;
#define LEAST(a, b) (first_ = (a), second_ = (b), first_ < second_ ? first_ : second_)

double series(double x)
{
	static const double c[] = {0.5, -0.25, 0.125, 0.0625, -0.03125};
	double t, s = 0.0, z;
	int j = sizeof c / sizeof *c;

	if ((t = fabs(x)) < 1.0) {
		z = t;
		z *= z;
		while (j--) s = s * z + c[j];
	} else {
		z = 1.0 / t;
		for (j = 0; j < LEAST(4, (int)(t * 2)); j++) s += c[j] * z, z /= t + j;
	}
	return s + SQUARE(x - 0.25) * (x < 0.0 ? -1.0 : 1.0);
}
