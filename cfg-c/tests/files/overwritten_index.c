//@ permuted {"n":4,"p":[2,0,3,1],"x":[1.5,2.5,0.5,0.25]}
//@ jumping {"n":5,"x":[1.5,2.5,0.5,0.25,2.0]}
//@ sorted_by {"n":4,"x":[1.5,2.5,0.5,0.25]}
double permuted(int n, int *p, double *x)
{
    double s = 0;
    for (int i = 0; i < n; i++) {
        int k = p[i];
        p[i] = i;
        x[k] *= x[p[k]];
        p[k] = n - 1 - i;
        s += x[p[i]] * (p[k] + 1);
    }
    return s;
}
double jumping(int n, double *x)
{
    int i = 0;
    double s = 0;
    for (int k = 0; k < 2 * n; k++) {
        s += x[i] * x[(i + k) % n];
        x[i] = s * 0.1;
        i = (int) (x[i] * 10) % n;
        if (i < 0) i = -i;
    }
    return s;
}
double sorted_by(int n, double *x)
{
    int order[4];
    for (int i = 0; i < n; i++) order[i] = i;
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && x[order[j - 1]] > x[order[j]]; j--) {
            int t = order[j];
            order[j] = order[j - 1];
            order[j - 1] = t;
        }
    double s = 0;
    for (int i = 0; i < n; i++) s = s * 2 + x[order[i]];
    return s;
}
