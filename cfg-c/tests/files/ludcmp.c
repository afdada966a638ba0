//@ ludcmp {"n":3,"a":[[4.0,1.0,0.5],[1.5,5.0,2.0],[0.25,1.0,6.0]],"b":[1.0,2.0,3.0]}
#define A(i, j) a[(i)][(j)]
double ludcmp(int n, double a[n][n], const double b[n])
{
    double x[n], y[n], w;
    int i, j, k;
    for (i = 0; i < n; i++) {
        for (j = 0; j < i; j++) {
            w = A(i, j);
            for (k = 0; k < j; k++)
                w -= A(i, k) * A(k, j);
            A(i, j) = w / A(j, j);
        }
        for (j = i; j < n; j++) {
            w = A(i, j);
            for (k = 0; k < i; k++)
                w -= A(i, k) * A(k, j);
            A(i, j) = w;
        }
    }
    for (i = 0; i < n; i++) {
        w = b[i];
        for (j = 0; j < i; j++)
            w -= A(i, j) * y[j];
        y[i] = w;
    }
    for (i = n - 1; i >= 0; i--) {
        w = y[i];
        for (j = i + 1; j < n; j++)
            w -= A(i, j) * x[j];
        x[i] = w / A(i, i);
    }
    w = 0;
    for (i = 0; i < n; i++)
        w += x[i] * (i + 1);
    return w;
}
