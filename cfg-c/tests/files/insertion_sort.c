double sorted(int n, double *x, const double *restrict w)
{
    for (int i = 1; i < n; i++) {
        double key = x[i];
        int j = i;
        while (j > 0 && x[j - 1] > key) {
            x[j] = x[j - 1];
            --j;
        }
        x[j] = key;
    }
    double s = 0;
    for (int i = 0; i < n; i++)
        s += w[i] * x[i] * x[i];
    return s;
}
