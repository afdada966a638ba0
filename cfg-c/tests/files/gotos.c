//@ retry {"n":3,"x":[1.5,0.25,0.5]}
//@ cleanup {"n":3,"x":[1.5,0.25,0.5]}
//@ cleanup {"n":3,"x":[1.5,-0.25,0.5]}
//@ machine {"n":6,"x":[0.5,1.5,-0.5,2.0,0.25,-1.0]}
double retry(int n, const double *x)
{
    double s = 0;
    int tries = 0;
again:
    for (int i = 0; i < n; i++) {
        s += x[i] * (tries + 1);
        if (s > 2 && tries < 2) { tries++; goto again; }
    }
    return s * tries;
}
double cleanup(int n, const double *x)
{
    double s = 1, r = 0;
    for (int i = 0; i < n; i++) {
        if (x[i] < 0) { r = -1; goto out; }
        for (int j = 0; ; j++) {
            s *= x[i] + j;
            if (j > i) goto next;
        }
next:   ;
    }
    r = s;
out:
    return r * s;
}
double machine(int n, const double *x)
{
    double s = 0;
    int i = 0;
start:
    if (i >= n) goto end;
    if (x[i] < 0) goto negative;
    s += x[i++];
    goto start;
negative:
    s *= x[i] * x[i];
    i++;
    if (i < n && x[i] < 0) goto negative;
    goto start;
end:
    return s;
}
