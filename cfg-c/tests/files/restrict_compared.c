//@ written {"n":2,"a":[0.5,3],"b":[1.5,4],"k":0}
//@ written {"n":2,"a":[0.5,3],"b":[1.5,4],"k":1}
//@ written {"n":2,"a":[0.5,3],"b":[1.5,4],"k":2}
//@ read {"n":2,"a":[0.5,3],"b":[1.5,4],"k":1}
//@ parts {"n":2,"x":[0.5,3,1.5,4],"k":1}
/* Pointers into two arrays are not equal, which is known of those that are restrict where one is written. What is only read may be
   one array all the same, and what a call hands over may be two parts of one. */
double written(int n, double *restrict a, double *restrict b, int k)
{
    double *p = a, *q = b, s = 1;
    if (k > 0) {
        p = b;
        q = a;
    }
    if (k > 1)
        q = b;
    a[0] *= 2;
    for (int i = 0; i < n && p != q; i++, p++)
        s += p[0] * p[0];
    if (q == b)
        s *= 3;
    return s * q[0];
}

double read(int n, const double *restrict a, const double *restrict b, int k)
{
    const double *p = a, *q = b, *r = b;
    if (k > 0) {
        p = b;
        q = a;
    }
    if (p == q || q == r)
        return a[0] * b[n - 1];
    return p[0] * q[0];
}

static double joined(int n, double *restrict a, double *restrict b, int k)
{
    double *p = a;
    if (k > 0)
        p = b;
    a[0] *= 2;
    if (p == a + n)
        return p[0];
    return p[0] * b[0];
}
double parts(int n, double *x, int k) { return joined(n, x, x + n, k); }
