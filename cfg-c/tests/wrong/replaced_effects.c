double f(double v, int n)
{
    double w[2] = {[1] = n++, [1] = v};
    return w[0] + w[1] + n;
}
