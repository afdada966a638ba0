//@ one_member {"n":3,"x":[1.5,0.5,2]}
//@ same_type {"x":1.5}
//@ given {"i":[{"kind":1,"number":2.5},{"kind":0,"number":4}],"n":2}
//@ through_value {"x":0.75}
/* Unions of which one member is used, or members of one type. */
#include <stddef.h>
union number { double real; const char *text; void *other; };
struct item { int kind; union { double number; const char *text; long count; }; };
union pair { double first, second; };
double one_member(int n, const double *x)
{
    union number all[8], *p = all;
    double s = 0.0;
    for (int i = 0; i < n; i++)
        p++->real = x[i] * x[i];
    while (p-- > all)
        s = 0.5 * s + p->real;
    return s * sizeof(union number) + sizeof all;
}
double same_type(double x)
{
    union pair a = {x}, b;
    a.second *= a.first;
    b = a;
    return b.first + a.second * x;
}
double given(const struct item *i, int n)
{
    double s = 1.0;
    for (; n-- > 0; i++)
        s *= i->kind ? i->number * i->number : 3.0;
    return s;
}
static union number twice(union number a)
{
    a.real *= 2.0;
    return a;
}
static const char *unused(const struct item *i)
{
    return i->text;
}
double through_value(double x)
{
    struct item i = {.kind = 2};
    union number a;
    a.real = x;
    i.number = twice(a).real * x;
    return i.number * i.kind;
}
