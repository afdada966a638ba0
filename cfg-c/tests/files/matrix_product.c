//@ product {"n":2,"m":3,"k":2,"a":[[1.5,2.0],[0.5,-1.0]],"b":[[1.0,2.0,3.0],[-0.5,0.25,4.0]],"c":[[0.0,0.0,0.0],[0.0,0.0,0.0]]}
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
