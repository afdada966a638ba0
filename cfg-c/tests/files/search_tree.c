//@ sorted {"n":5,"x":[0.5,0.3,0.7,0.2,0.6]}
//@ sorted {"n":1,"x":[0.5]}
/* A search tree: a pointer to the pointer to change, recursion, sums that are kept in the nodes. */
#include <stdlib.h>
#include <math.h>
typedef struct tree { double key, sum; struct tree *left, *right; } tree;
static void insert(tree **t, double key)
{
    while (*t) {
        t = key < (*t)->key ? &(*t)->left : &(*t)->right;
    }
    *t = calloc(1, sizeof(tree));
    (*t)->key = key;
}
static double fold(tree *t, double y)
{
    if (t == NULL) return y;
    y = fold(t->left, y);
    y = sin(y) + t->key * y;
    t->sum += y;
    return fold(t->right, y);
}
static void clear(tree *t)
{
    if (!t) return;
    clear(t->left); clear(t->right);
    free(t);
}
double sorted(int n, const double x[])
{
    tree *root = NULL;
    for (int i = 0; i < n; i++) insert(&root, x[i]);
    double y = fold(root, 1.0);
    y += root->sum;
    clear(root);
    return y;
}
