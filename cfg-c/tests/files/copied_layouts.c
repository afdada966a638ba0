//@ f {"a":[2,3,5]}
//@ rows {"n":2,"x":[0.3,0.5,0.7,1.1,1.3,1.7]}
//@ nested {"x":[0.3,0.5,0.7,1.1,1.3,1.7]}
//@ behind {"n":2,"x":[0.3,0.5,0.7,1.1]}
/* memcpy between structures of numbers and arrays of these. */
#include <stdlib.h>
#include <string.h>
struct vec { double x, y, z; };
struct pair { double v[2]; };
struct frame { struct vec at; double axis[3]; };
struct other { double a[4], b, c; };
struct list { struct pair p; struct list *next; };

double f(const double *a)
{
    struct vec v, w;
    double b[3], part[2];
    memcpy(&v, a, sizeof v);
    v.x *= v.y;
    memcpy(b, &v, 3 * sizeof(double));
    memcpy(&w, b, sizeof(struct vec));
    memcpy(part, &w, sizeof part);
    memmove(&w.y, &w.x, sizeof(double));
    return b[0] * part[1] + w.y * w.z;
}

double rows(int n, const double *x)
{
    struct vec *v = malloc(n * sizeof *v);
    double *b = malloc(3 * n * sizeof *b), y = 0.0;
    memcpy(v, x, n * sizeof *v);
    for (int i = 0; i < n; i++)
        v[i].y *= v[i].z;
    memcpy(b, v, 3 * n * sizeof *b);
    for (int i = 0; i < 3 * n; i++)
        y += b[i] * x[3 * n - 1 - i];
    free(v);
    free(b);
    return y;
}

double nested(const double *x)
{
    struct frame m[1];
    struct other o;
    memcpy(m, x, sizeof m);
    memcpy(&o, m, sizeof o);
    o.a[0] *= o.b;
    memcpy(&m[0], &o, sizeof(struct frame));
    return m[0].at.x * m[0].at.z + m[0].axis[2] * o.c;
}

double behind(int n, const double *x)
{
    struct list *front = NULL;
    double y = 0.0, v[2];
    for (int i = 0; i < n; i++) {
        struct list *made = malloc(sizeof *made);
        memcpy(&made->p, x + 2 * i, sizeof made->p);
        made->p.v[0] *= made->p.v[1];
        made->next = front;
        front = made;
    }
    while (front) {
        struct list *next = front->next;
        memcpy(v, &front->p, sizeof v);
        y = y * v[0] + v[1];
        free(front);
        front = next;
    }
    return y;
}
