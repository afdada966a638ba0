//@ work {"n":3,"m":2,"x":[1.5,2.5,0.5,1.0,2.0,3.0]}
//@ inner {"n":3,"x":[1.5,2.5,0.5]}
//@ cube {"n":2,"a":[[[1.0,2.0],[3.0,4.0]],[[0.5,0.25],[1.5,2.5]]]}
static double trace(int n, double a[n][n]) { double s = 0; for (int i = 0; i < n; i++) s += a[i][i]; return s; }
double work(int n, int m, const double x[n * m])
{
    const int size = n * m;
    double w[size + 1], a[n][m], b[n][n];
    w[size] = 1;
    for (int i = 0; i < size; i++) w[i] = x[i] * 2, a[i / m][i % m] = w[i];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            b[i][j] = 0;
            for (int k = 0; k < m; k++) b[i][j] += a[i][k] * a[j][k];
        }
    return trace(n, b) * w[size] + w[0];
}
static double last(int n, const double *row) { return row[n - 1] * row[0]; }
double inner(int n, const double *x)
{
    double s = 0;
    for (int i = 0; i < n; i++) {
        double t[2][n];
        for (int j = 0; j < n; j++) t[0][j] = x[j] + i, t[1][j] = t[0][j] * x[i];
        s += last(n, t[1]) + last(n, &t[0][0]);
    }
    return s;
}
double cube(int n, double a[n][2][2])
{
    double s = 0;
    for (int i = 0; i < n; i++) {
        double (*m)[2] = a[i];
        s += m[0][0] * m[1][1] - m[0][1] * m[1][0];
        a[i][1][0] *= s;
    }
    return s;
}
