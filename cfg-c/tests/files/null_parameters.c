//@ moving {"n":3,"x":[1.5,0.5,2],"w":[2,3,0.25]}
//@ moving {"n":3,"x":[1.5,0.5,2],"w":null}
//@ by_default {"n":2,"x":[1.5,0.5],"w":[2,3],"other":[0.5,4]}
//@ by_default {"n":2,"x":[1.5,0.5],"w":null,"other":[0.5,4]}
//@ early {"n":2,"x":[1.5,0.5],"w":[2,3]}
//@ early {"n":2,"x":[1.5,0.5],"w":null}
//@ kept {"n":2,"x":[1.5,0.5],"w":[2,3]}
//@ kept {"n":2,"x":[1.5,0.5],"w":null}
//@ one_path {"n":0,"x":[1.5,0.5],"w":[2,3]}
//@ one_path {"n":1,"x":[1.5,0.5],"w":[2,3]}
//@ one_path {"n":2,"x":[1.5,0.5],"w":[2,3]}
//@ one_path {"n":2,"x":[1.5,0.5],"w":null}
//@ handed_on {"n":2,"x":[1.5,0.5],"w":[2,3]}
//@ handed_on {"n":2,"x":[1.5,0.5],"w":null}
//@ chosen {"n":0,"x":[1.5,0.5],"w":[2,3]}
//@ chosen {"n":1,"x":[1.5,0.5],"w":[2,3]}
//@ chosen {"n":0,"x":[1.5,0.5],"w":null}
//@ truths {"x":[1.5,0.5],"w":[2,3]}
//@ truths {"x":[1.5,0.5],"w":null}
//@ results {"n":2,"x":[1.5,0.5],"y":null,"count":null}
//@ results {"n":2,"x":[1.5,0.5],"y":[0,0],"count":null}
//@ results {"n":2,"x":[1.5,0.5],"y":[0,0],"count":[4]}
//@ equal {"n":0,"x":[1.5,0.5],"w":[2,3]}
//@ equal {"n":1,"x":[1.5,0.5],"w":[2,3]}
//@ equal {"n":1,"x":[1.5,0.5],"w":null}
//@ chained {"n":0,"x":[1.5],"w":[2]}
//@ chained {"n":1,"x":[1.5],"w":[2]}
//@ asserted {"x":[1.5],"w":[2]}
//@ passed_apart {"x":[1.5,0.5],"w":[2,3]}
//@ passed_apart {"x":[1.5,0.5],"w":null}
//@ of_matrix {"x":0.5}
//@ by_variable {"x":[1.5],"w":[2]}
//@ by_variable {"x":[1.5],"w":null}
/* Parameters that a caller may leave out, tested, moved, assigned and handed on. */
#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
double moving(int n, const double *x, const double *w)
{
    double s = w ? 0.0 : 1.0;
    for (int i = 0; i < n; i++)
        s += x[i] * x[i] * (w ? *w++ : 2.0);
    return w == NULL ? s * s : s;
}
double by_default(int n, const double *x, const double *w, const double *other)
{
    double s = 0.0;
    if (!w)
        w = other;
    while (n-- > 0)
        s += *x++ * *w++;
    return s;
}
double early(int n, const double *x, const double *w)
{
    const double *end = x + n;
    if (w == NULL)
        return x[0] * x[1];
    double s = 0.0;
    for (; x < end; w += 1)
        s += *w * *x++;
    return s;
}
double kept(int n, const double *x, const double *w)
{
    const double *const q = w, *moves = w;
    double s = 0.0;
    for (int i = 0; i < n; i++)
        if (moves != NULL && n > 0)
            s += *moves++ * x[i];
    if (q)
        s *= q[1] * x[0];
    if (!(q && moves))
        s += 3 * x[1];
    return s + x[0];
}
double one_path(int n, const double *x, const double *w)
{
    const double *p = NULL, *q;
    if (n == 1)
        p = x + 1;
    if (n == 2)
        p = w;
    q = p;
    return q ? *q * x[0] : x[0] + (p == 0);
}
static double weighted(int n, const double *x, const double *w)
{
    double s = 0.0;
    while (n--) {
        s += (w ? *w : 0.5) * *x++;
        w = w ? w + 1 : w;
    }
    return s;
}
static double through(int n, const double *x, const double *w)
{
    return weighted(n, x, w) * 2;
}
double handed_on(int n, const double *x, const double *w)
{
    const double *p = w;
    double s = through(n, x, w) + weighted(n, x, NULL) * x[1];
    if (p)
        p++;
    return s + through(n - 1, x, p) * x[0] + weighted(1, x, p);
}
double chosen(int n, const double *x, const double *w)
{
    const double *p = n ? x : w ? w + 1 : NULL;
    return weighted(2, x, n ? x : NULL) * ((n ? x : w) ? x[0] : x[1]) + (p ? *p : 7.0);
}
static bool is_there(const double *w)
{
    return w;
}
double truths(const double *x, const double *w)
{
    bool a = w, b;
    b = w;
    double s = x[0] * a + x[1] * b * 3 + (_Bool) w * x[0] * x[1] + is_there(w) * x[1];
    return s + !w * x[1] * x[1];
}
double results(int n, const double *x, double *y, int *count)
{
    double s = 0.0;
    for (int i = 0; i < n; i++) {
        s += x[i] * x[i];
        if (y)
            *y++ = x[i] * s;
    }
    if (count)
        *count += n;
    return s;
}
double equal(int n, const double *x, const double *w)
{
    double own[2] = {x[0] * x[1], x[1]};
    const double *p = n ? w : own;
    const double *none = NULL;
    double s = p == none ? x[0] : x[0] * x[0];
    if (p == own)
        s *= 5;
    if (p != w)
        s *= x[1];
    return s;
}
double chained(int n, const double *x, const double *w)
{
    const double *p, *q, *r;
    p = q = n ? x : w;
    r = p = q;
    return *p * 10 + *q * *r;
}
double asserted(const double *x, const double *w)
{
    assert(w);
    return x[0] * *w++;
}
double passed_apart(const double *x, const double *w)
{
    double s = 0.0;
    for (const double *p = x; p; p = p == x ? w : NULL)
        s += weighted(2, x, p) * *p;
    return s;
}
static double rows(double (*a)[2], int n)
{
    double s = 1.0;
    for (int i = 0; a && i < n; i++, a++)
        s += (*a)[0] * a[0][1];
    return s;
}
double of_matrix(double x)
{
    double a[2][2] = {{x, 2 * x}, {x * x, 3}};
    return rows(a, 2) + 2 * rows(NULL, 2);
}
double by_variable(const double *x, const double *w)
{
    const double *none = NULL;
    if (w != none)
        return x[0] * w[0];
    return 3 * x[0];
}
