//@ sum {"n":2,"x":[1,3]}
//@ sum {"n":3,"x":[1,3,2]}
//@ ends {"n":2,"x":[1,3],"first":1}
//@ ends {"n":4,"x":[1,3,0.5,2],"first":0}
//@ corner {"n":1,"m":1,"a":[[2]]}
//@ corner {"n":3,"m":2,"a":[[2,1],[3,0.5],[1.5,4]]}
//@ overwritten {"n":1,"x":[2]}
//@ overwritten {"n":2,"x":[2,1.5]}
/* Elements with constant subscripts, which are not there unless the operand that names them is chosen. */

double sum(int n, const double *x)
{
    double s = n > 2 ? x[2] * x[0] : x[0] * x[1];
    for (int i = 0; i < 2; i++)
        s += n > 2 ? (n > 100000000 ? x[100000000] : x[2] * x[i]) : x[i];
    return s;
}

static double before(const double *u, int first) { return first ? *u : *u - u[-1] * u[0]; }

double ends(int n, const double *x, int first)
{
    double s = before(x + (first ? 0 : 1), first);
    return s * (n > 3 ? x[3] : x[1]) + (n > 3 && x[3] > 1.0 ? x[3] * s : s);
}

double corner(int n, int m, double a[n][m])
{
    double s = n > 1 ? (m > 1 ? a[1][1] * a[0][0] : a[1][0]) : a[0][0];
    return s + (n > 2 ? a[2][0] * s : s * s);
}

double overwritten(int n, double *x)
{
    x[0] = n > 1 ? x[1] * x[0] : 2 * x[0];
    for (int i = 0; i < n; i++)
        x[i] = n > 1 ? x[1] * x[i] : x[i] * x[0];
    return x[0] * x[0];
}
