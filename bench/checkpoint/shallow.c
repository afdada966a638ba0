/* Shallow water on a periodic grid of N x N cells: height h and momenta p, q, by the scheme of Lax and Friedrichs. */
#define N 64

static void step(double dt, double h[N][N], double p[N][N], double q[N][N])
{
    double a[N][N], b[N][N], c[N][N];
    int i, j;
    double g = 9.81, r = dt / 2.0;
    for (i = 0; i < N; i++) {
        int n = i == N - 1 ? 0 : i + 1, s = i == 0 ? N - 1 : i - 1;
        for (j = 0; j < N; j++) {
            int e = j == N - 1 ? 0 : j + 1, w = j == 0 ? N - 1 : j - 1;
            a[i][j] = 0.25 * (h[n][j] + h[s][j] + h[i][e] + h[i][w])
                - r * (p[n][j] - p[s][j] + q[i][e] - q[i][w]);
            b[i][j] = 0.25 * (p[n][j] + p[s][j] + p[i][e] + p[i][w])
                - r * (p[n][j] * p[n][j] / h[n][j] + 0.5 * g * h[n][j] * h[n][j]
                       - p[s][j] * p[s][j] / h[s][j] - 0.5 * g * h[s][j] * h[s][j]
                       + p[i][e] * q[i][e] / h[i][e] - p[i][w] * q[i][w] / h[i][w]);
            c[i][j] = 0.25 * (q[n][j] + q[s][j] + q[i][e] + q[i][w])
                - r * (p[n][j] * q[n][j] / h[n][j] - p[s][j] * q[s][j] / h[s][j]
                       + q[i][e] * q[i][e] / h[i][e] + 0.5 * g * h[i][e] * h[i][e]
                       - q[i][w] * q[i][w] / h[i][w] - 0.5 * g * h[i][w] * h[i][w]);
        }
    }
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++) {
            h[i][j] = a[i][j];
            p[i][j] = b[i][j];
            q[i][j] = c[i][j];
        }
}

double energy(int steps, double dt, double h[N][N], double p[N][N], double q[N][N])
{
#pragma cfgrev independent(h, p, q)
    double e = 0.0;
    int t, i, j;
#pragma cfgrev checkpoint(snapshots = SNAPSHOTS, disk = ON_DISK)
    for (t = 0; t < steps; t++)
        step(dt, h, p, q);
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)
            e += 0.5 * (p[i][j] * p[i][j] + q[i][j] * q[i][j]) / h[i][j]
                + 0.5 * 9.81 * (h[i][j] - 1.0) * (h[i][j] - 1.0);
    return e;
}
