double f(int k, const double *a, const double *b)
{
    const double *p = k ? a : b;
    if ((p = b) && p[0] > 1) return p[0];
    return 0;
}
