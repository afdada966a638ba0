//@ irreducible {"n":4,"x":[0.5,0.25,0.75,1.5]}
//@ irreducible {"n":4,"x":[-0.5,0.25,0.75,1.5]}
//@ nested {"n":3,"k":0,"x":[0.5,0.25,0.75]}
//@ nested {"n":3,"k":1,"x":[0.5,0.25,0.75]}
//@ nested {"n":3,"k":2,"x":[0.5,0.25,0.75]}
double irreducible(int n, const double *x)
{
    double s = 1;
    int i = 0;
    if (x[0] > 0) goto b;
a:
    s = s * x[i] + 1;
    if (s > 40) return s;
b:
    s = s + x[i] * x[i];
    if (++i < n) goto a;
    if (i < 2 * n && s < 3) { i = 0; n--; goto b; }
    return s;
}
double nested(int n, int k, const double *x)
{
    double s = 0;
    int i = 0, j = 0;
    if (k == 1) goto inner;
    if (k == 2) goto outer;
    for (i = 0; i < n; i++) {
        s += x[i];
        for (j = 0; j < n; j++) {
inner:
            s = s * 0.5 + x[j] * x[i];
        }
outer:
        s += x[i] * x[i];
    }
    return s + i + j;
}
