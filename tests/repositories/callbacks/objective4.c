double objective4(unsigned n, const double *x, double *grad, void *data)
{
    double s = 0;
    for (unsigned i = 0; i < n; i++)
        s += (i + 1) * (x[i] - 0.3) * (x[i] - 0.3) + 0.1 * x[i] * x[i] * x[i] * x[i];
    if (grad)
        grad[0] = 0;
    return s + x[0] * x[1];
}
