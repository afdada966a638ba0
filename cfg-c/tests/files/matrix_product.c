void product(int n, int m, int k, double a[n][k], double b[k][m], double c[restrict n][m])
{
    int i, j, l;
    for (i = 0; i < n; ++i)
        for (j = 0; j < m; ++j) {
            c[i][j] = 0;
            for (l = 0; l < k; ++l)
                c[i][j] += a[i][l] * b[l][j];
        }
}
