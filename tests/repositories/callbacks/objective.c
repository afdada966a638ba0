double objective(int n, const double *x, void *data)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += (i + 1) * (x[i] - 0.3) * (x[i] - 0.3) + 0.1 * x[i] * x[i] * x[i] * x[i];
    return s + x[0] * x[1];
}
