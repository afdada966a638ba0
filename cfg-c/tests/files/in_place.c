//@ shifted {"n":4,"x":[1.5,2.5,0.5,0.25]}
//@ overlapping {"n":4,"x":[1.5,2.5,0.5,0.25]}
//@ same {"n":3,"x":[1.5,2.5,0.5]}
//@ swapped {"x":[1.5,2.5,0.5]}
/* Arrays that overlap: the same one passed twice. */
void shifted(int n, double *x)
{
    for (int i = 1; i < n; i++) x[i] = x[i - 1] * x[i];
    for (int i = 0; i + 1 < n; i++) x[i] += x[i + 1] * 0.5;
}
static void blend(int n, double *to, const double *from) { for (int i = 0; i < n; i++) to[i] = to[i] * 0.5 + from[i] * from[i]; }
double overlapping(int n, double *x)
{
    double s = 0;
    blend(n - 1, x, x + 1);
    blend(n - 1, x + 1, x);
    for (int i = 0; i < n; i++) s += x[i] * (i + 1);
    return s;
}
static void multiply(int n, double *c, const double *a, const double *b) { for (int i = 0; i < n; i++) c[i] = a[i] * b[n - 1 - i]; }
double same(int n, double *x)
{
    multiply(n, x, x, x);
    return x[0] + 2 * x[1] + 3 * x[n - 1];
}
static void swap(double *a, double *b) { double t = *a; *a = *b; *b = t; }
static void both(double *a, double *b) { *a *= 2; *b += *a; }
double swapped(double *x)
{
    swap(&x[0], &x[2]);
    swap(&x[1], &x[1]);
    both(&x[0], &x[0]);
    both(x + 1, x);
    return x[0] * x[1] + x[2];
}
