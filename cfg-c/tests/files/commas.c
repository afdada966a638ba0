//@ commas {"n":4,"x":[1.5,2.5,0.5,0.25]}
double commas(int n, const double *x)
{
    double s, t;
    int i, j;
    for (s = 0, t = 1, i = 0, j = n - 1; i < j; s += x[i] * x[j], i++, j--) t *= 2, t -= x[i];
    if (i++, j--, s > 1) s += i, t += j;
    return (s, t) * (i, s + j);
}
