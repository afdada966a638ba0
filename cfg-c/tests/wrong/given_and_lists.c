#include <stdlib.h>
struct link { double x; struct link *next; };
double norm(int n, const double *x);
void norm_b(int n, const double *x, double *x_b, double norm_b);
void norm_t(int n, const double *x, const double *x_t, double *norm, double *norm_t);
#pragma cfgrev external(norm) adjoint(norm_b) tangent(norm_t)
double f(double x)
{
    struct link *list = NULL;
    for (int i = 0; i < 2; i++) {
        struct link *made = malloc(sizeof *made);
        made->x = x * i;
        made->next = list;
        list = made;
    }
    double a[2] = {x, list->x};
    return norm(2, a);
}
