//@ sorted {"n":5,"x":[3.5,1.25,2.5,-0.5,2.0],"w":[1.0,2.0,3.0,4.0,5.0]}
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
