//@ heat {"n":4,"steps":3,"u":[[0.0,1.0,2.0,0.5],[1.0,3.0,1.5,0.25],[0.5,2.0,1.0,0.75],[0.0,0.5,1.5,1.0]],"k":0.1}
/* Heat in a square: two arrays that take turns, chosen by the parity of the step. */
void heat(int n, int steps, double u[n][n], double k)
{
    double buffer[2][n][n];
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) buffer[0][i][j] = buffer[1][i][j] = u[i][j];
    for (int t = 0; t < steps; t++) {
        double (*now)[n] = buffer[t % 2], (*next)[n] = buffer[(t + 1) % 2];
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                next[i][j] = now[i][j] + k * (now[i - 1][j] + now[i + 1][j] + now[i][j - 1] + now[i][j + 1] - 4 * now[i][j]);
    }
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) u[i][j] = buffer[steps % 2][i][j];
}
