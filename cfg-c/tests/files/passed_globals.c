//@ passed_scalar {"x":[1.5,2,3]}
//@ passed_array {"n":3,"x":[1.5,2,3]}
//@ passed_context {"n":3,"x":[1.5,2,3]}
//@ passed_static {"x":[1.5,2,3]}
//@ passed_on {"x":[1.5,2,3]}
/* Globals of which the address is passed to functions that use them by name, or call such. */
static double gl, field[4];
static double twice(double *p)
{
    gl = 3 * *p;
    *p += gl;
    return gl + *p;
}
double passed_scalar(const double *x)
{
    gl = x[0];
    return twice(&gl) * x[1];
}
static void relax(int n, double *u)
{
    for (int i = 1; i < n; i++)
        u[i] = field[i - 1] * field[i] + u[i];
}
double passed_array(int n, const double *x)
{
    for (int i = 0; i < n; i++)
        field[i] = x[i];
    relax(n, field);
    relax(n - 1, field + 1);
    return field[n - 1] * field[1];
}
struct context { double k, c; };
static struct context set = {2.0, 0.5};
static double force(double y, void *data)
{
    struct context *own = data;
    own->c += y;
    set.k *= set.c;
    return -own->k * y;
}
static double integral(double (*f)(double, void *), void *data, int n, double y)
{
    for (int i = 0; i < n; i++)
        y += 0.1 * f(y, data);
    return y;
}
double passed_context(int n, const double *x)
{
    set.k = x[1];
    set.c = x[2];
    return integral(force, &set, n, x[0]) + set.k;
}
static double *last(void)
{
    static double kept[2];
    return kept;
}
static double more(double *p, double t)
{
    double *q = last();
    q[0] += t;
    p[0] *= q[0];
    return p[0] + q[1];
}
double passed_static(const double *x)
{
    last()[0] = x[0];
    last()[1] = x[1];
    return more(last(), x[2]) + more(last() + 1, x[2]);
}
static void deep(double t) { gl = gl * t + 1; }
static double over(const double *p, double t)
{
    double before = *p;
    deep(t);
    return before * *p;
}
double passed_on(const double *x)
{
    gl = x[0];
    return over(&gl, x[1]) + over(&x[2], x[1]) + gl;
}
