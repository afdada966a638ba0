//@ seidel {"tsteps":2,"n":4,"a":[[1.0,2.0,3.0,4.0],[0.5,0.6,0.7,0.8],[1.1,1.2,1.3,1.4],[2.1,2.2,2.3,2.4]]}
void seidel(int tsteps, int n, double a[n][n])
{
    for (int t = 0; t <= tsteps - 1; t++)
        for (int i = 1; i <= n - 2; i++)
            for (int j = 1; j <= n - 2; j++)
                a[i][j] = (a[i - 1][j - 1] + a[i - 1][j] + a[i - 1][j + 1] + a[i][j - 1] + a[i][j]
                           + a[i][j + 1] + a[i + 1][j - 1] + a[i + 1][j] + a[i + 1][j + 1]) / 9.0;
}
