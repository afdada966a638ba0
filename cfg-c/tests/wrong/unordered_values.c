double f(double v, int n)
{
    double w[3] = {v, n++, n++};
    double own[2] = {v, own[0] + 1};
    return w[0] + w[1] + own[1];
}
