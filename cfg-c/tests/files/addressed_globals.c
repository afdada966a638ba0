//@ scaled {"x":2.0}
//@ listed {"n":3,"x":0.5}
/* Numbers that are kept between calls, and whose addresses are taken. */
#include <stdlib.h>
double gain = 3.0, level = 4.0;
static float offset = 0.5f;
static int calls;
struct node { double *to; struct node *next; };

static void bump(double *p) { *p += 1.0; }
static void count(int *p) { ++*p; }

double scaled(double x)
{
    static double last;
    double *p = &last;
    bump(&gain);
    count(&calls);
    *p = gain * x + offset + calls;
    float *q = &offset;
    *q += 1.0f;
    return *p * last + *q;
}

double listed(int n, double x)
{
    struct node *front = NULL;
    double y = 0.0, own = x * x;
    for (int i = 0; i < n; i++) {
        struct node *made = malloc(sizeof *made);
        made->to = i % 2 ? &level : &own;
        made->next = front;
        front = made;
    }
    while (front) {
        struct node *next = front->next;
        *front->to += x;
        y += *front->to * level;
        free(front);
        front = next;
    }
    return y;
}
