//@ kmeans_inertia {"n":5,"pts":[[0,0],[3,3],[0.5,0.2],[2.5,3.1],[2.9,2.6]]}
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define K 2
#define DIM 2
#define MAX_ITER 10

typedef double point[DIM];

static double dist2(const point a, const point b)
{
    double s = 0;
    for (int d = 0; d < DIM; d++)
        s += (a[d] - b[d]) * (a[d] - b[d]);
    return s;
}

static int nearest(const point p, point centers[], int k, double *best)
{
    int arg = 0;
    *best = DBL_MAX;
    for (int c = 0; c < k; c++) {
        double d = dist2(p, centers[c]);
        if (d < *best) {
            *best = d;
            arg = c;
        }
    }
    return arg;
}

static void update(point *pts, int n, point *centers, const int *label, int counts[K])
{
    memset(counts, 0, K * sizeof counts[0]);
    point sums[K] = {{0}};
    for (int i = 0; i < n; i++) {
        counts[label[i]]++;
        for (int d = 0; d < DIM; d++)
            sums[label[i]][d] += pts[i][d];
    }
    for (int c = 0; c < K; c++)
        if (counts[c])
            for (int d = 0; d < DIM; d++)
                centers[c][d] = sums[c][d] / counts[c];
}

double kmeans_inertia(int n, double pts[][DIM])
{
    point centers[K];
    int *label = malloc(n * sizeof *label);
    int counts[K];
    for (int c = 0; c < K; c++)
        memcpy(centers[c], pts[c], sizeof(point));
    double inertia = 0.0, previous;
    int iter = 0;
    do {
        previous = inertia;
        inertia = 0.0;
        for (int i = 0; i < n; i++) {
            double d;
            label[i] = nearest(pts[i], centers, K, &d);
            inertia += d;
        }
        update(pts, n, centers, label, counts);
    } while (fabs(inertia - previous) > 1e-12 && ++iter < MAX_ITER);
    free(label);
    return inertia;
}
