//@ named {"kind":0,"x":2.5}
//@ named {"kind":1,"x":2.5}
//@ named {"kind":2,"x":2.5}
//@ tried {"kind":1,"x":2.5}
//@ tried {"kind":3,"x":2.5}
//@ in_place {"k":2,"x":2.5}
//@ in_place {"k":1,"x":2.5}
//@ in_place {"k":-1,"x":2.5}
//@ in_a_list {"k":0,"x":2.5}
//@ in_a_list {"k":1,"x":2.5}
//@ in_a_list {"k":2,"x":2.5}
//@ through_a_pointer {"k":1,"x":2.5}
//@ through_a_pointer {"k":2,"x":2.5}
/* Functions that return a pointer to a function, or null. */
#include <math.h>
#include <stddef.h>
#include <string.h>
typedef double (*function)(double);
static double twice(double x) { return 2 * x; }
static double square(double x) { return x * x; }

static const struct entry { const char *name; function f; } entries[] = {{"twice", twice}, {"square", square}, {NULL, NULL}};
static function by_name(const char *name)
{
    for (int i = 0; entries[i].name; i++)
        if (strcmp(entries[i].name, name) == 0)
            return entries[i].f;
    return NULL;
}
double named(int kind, double x)
{
    function f = by_name(kind == 1 ? "twice" : kind == 2 ? "square" : "cube");
    if (!f)
        return -x * x;
    return f(x);
}

static function by_number(int kind)
{
    switch (kind) {
    case 1: return twice;
    case 2: return sin;
    default: return (function)0;
    }
}
double tried(int kind, double x)
{
    double (*f)(double) = by_number(kind), y = 3 * x;
    if (f != NULL)
        y += f(x) * by_number(2)(x);
    return y;
}

/* The function stands in place of its call, since it is given a structure with pointers. */
struct library { int count; const function *functions; double *scale; };
static function chosen(const struct library *l, int k)
{
    if (k < 0 || k >= l->count)
        return NULL;
    if (l->scale[0] < 0)
        return k ? NULL : twice;
    return l->functions[k];
}
double in_place(int k, double x)
{
    function functions[3] = {twice, square, NULL};
    double scale[1] = {x};
    struct library l = {3, functions, scale};
    function f = chosen(&l, k);
    return f ? f(x) : 5 * x;
}

/* Pointers are values. */
struct node { function f; struct node *next; };
static function of_node(const struct node *p, int k)
{
    while (p && k--)
        p = p->next;
    if (!p)
        return NULL;
    return p->f;
}
double in_a_list(int k, double x)
{
    struct node second = {square, NULL}, first = {twice, &second};
    function f = of_node(&first, k);
    return f ? f(x) : 7 * x;
}

static function (*chooser)(int) = NULL;
static function even(int k) { return k % 2 ? NULL : square; }
double through_a_pointer(int k, double x)
{
    chooser = even;
    function f = chooser(k);
    return f ? f(x) : 9 * x;
}
