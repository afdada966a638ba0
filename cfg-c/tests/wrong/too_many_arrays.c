double f(int k, const double *a, const double *b, const double *c, const double *d, const double *e, const double *g, const double *h, const double *i, const double *j)
{
    const double *p = k == 0 ? a : k == 1 ? b : k == 2 ? c : k == 3 ? d : k == 4 ? e : k == 5 ? g : k == 6 ? h : k == 7 ? i : j;
    return p[0];
}
