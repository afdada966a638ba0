//@ thomas {"n":4,"a":[0.0,1.0,0.5,0.25],"b":[4.0,3.0,5.0,2.0],"c":[1.0,0.5,0.75,0.0],"d":[1.0,2.0,3.0,4.0]}
void thomas(const int n, const double a[], double b[], const double c[], double d[])
{
    for (int i = 1; i < n; ++i) {
        const double w = a[i] / b[i - 1];
        b[i] -= w * c[i - 1];
        d[i] -= w * d[i - 1];
    }
    d[n - 1] /= b[n - 1];
    for (int i = n - 2; i >= 0; --i) d[i] = (d[i] - c[i] * d[i + 1]) / b[i];
}
