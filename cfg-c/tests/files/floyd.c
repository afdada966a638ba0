//@ shortest {"n":3,"d":[[0.25,2.5,9.0],[1.0,0.125,3.0],[4.0,8.0,0.375]]}
void shortest(int n, double d[n][n])
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                double via = d[i][k] + d[k][j];
                d[i][j] = d[i][j] <= via ? d[i][j] : via;
            }
}
