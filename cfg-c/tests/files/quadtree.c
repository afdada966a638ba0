//@ total_potential {"n":4,"pos":[[1.1,0.9],[-2,1.5],[0.5,-3],[1.2,0.8]],"mass":[1,2,0.5,1.5]}
/* Barnes-Hut potential with a quadtree. */
#include <math.h>
#include <stdlib.h>

typedef struct node {
    double cx, cy, half;      /* cell */
    double mass, mx, my;      /* sums */
    int count;
    double bx, by, bm;        /* the body of a leaf */
    struct node *child[4];
} node;

static node *make(double cx, double cy, double half)
{
    node *t = calloc(1, sizeof(node));
    if (t == NULL) exit(EXIT_FAILURE);
    t->cx = cx;
    t->cy = cy;
    t->half = half;
    return t;
}

static void insert(node *t, double x, double y, double m);

static void push_down(node *t, double x, double y, double m)
{
    int q = (x > t->cx) | (y > t->cy) << 1;
    if (!t->child[q]) {
        double h = t->half / 2;
        t->child[q] = make(t->cx + (q & 1 ? h : -h), t->cy + (q & 2 ? h : -h), h);
    }
    insert(t->child[q], x, y, m);
}

static void insert(node *t, double x, double y, double m)
{
    if (t->count == 0) {
        t->bx = x; t->by = y; t->bm = m;
    } else {
        if (t->count == 1)
            push_down(t, t->bx, t->by, t->bm);
        push_down(t, x, y, m);
    }
    t->count++;
    t->mass += m;
    t->mx += m * x;
    t->my += m * y;
}

static double potential(const node *t, double x, double y, double theta)
{
    if (!t || t->count == 0)
        return 0.0;
    double dx = t->mx / t->mass - x, dy = t->my / t->mass - y;
    double r = sqrt(dx * dx + dy * dy + 1e-4);
    if (t->count == 1 || 2 * t->half < theta * r)
        return -t->mass / r;
    double sum = 0;
    for (int q = 0; q < 4; q++)
        sum += potential(t->child[q], x, y, theta);
    return sum;
}

static void release(node *t)
{
    if (!t)
        return;
    for (int q = 0; q < 4; ++q)
        release(t->child[q]);
    free(t);
}

double total_potential(int n, const double (*pos)[2], const double *mass)
{
    node *root = make(0, 0, 4);
    for (int i = 0; i < n; i++)
        insert(root, pos[i][0], pos[i][1], mass[i]);
    double e = 0;
    for (int i = 0; i < n; i++)
        e += 0.5 * mass[i] * potential(root, pos[i][0], pos[i][1], 0.5);
    release(root);
    return e;
}
