//@ forward {"n":2,"steps":4,"seen":[0,1,1,0],"start":[0.6,0.4],"move":[[0.7,0.3],[0.4,0.6]],"emit":[[0.5,0.5],[0.1,0.9]]}
//@ viterbi {"n":2,"steps":4,"seen":[0,1,1,0],"start":[0.6,0.4],"move":[[0.7,0.3],[0.4,0.6]],"emit":[[0.5,0.5],[0.1,0.9]]}
#include <math.h>
double forward(int n, int steps, const int *seen, const double *start, const double move[n][n], const double emit[n][2])
{
    double alpha[n], next[n], logs = 0;
    for (int i = 0; i < n; i++) alpha[i] = start[i] * emit[i][seen[0]];
    for (int t = 1; ; t++) {
        double c = 0;
        for (int i = 0; i < n; i++) c += alpha[i];
        for (int i = 0; i < n; i++) alpha[i] /= c;
        logs += log(c);
        if (t == steps) break;
        for (int j = 0; j < n; j++) {
            next[j] = 0;
            for (int i = 0; i < n; i++) next[j] += alpha[i] * move[i][j];
            next[j] *= emit[j][seen[t]];
        }
        for (int i = 0; i < n; i++) alpha[i] = next[i];
    }
    return logs;
}
double viterbi(int n, int steps, const int *seen, const double *start, const double move[n][n], const double emit[n][2])
{
    int back[steps][n], k = 0;
    double best[2][n];
    for (int i = 0; i < n; i++) best[0][i] = start[i] * emit[i][seen[0]];
    for (int t = 1; t < steps; t++)
        for (int j = 0; j < n; j++) {
            best[t & 1][j] = -1;
            for (int i = 0; i < n; i++) {
                double p = best[t - 1 & 1][i] * move[i][j] * emit[j][seen[t]];
                if (p > best[t & 1][j]) best[t & 1][j] = p, back[t][j] = i;
            }
        }
    for (int i = 1; i < n; i++) if (best[steps - 1 & 1][i] > best[steps - 1 & 1][k]) k = i;
    double s = log(best[steps - 1 & 1][k]);
    for (int t = steps - 1; t > 0; t--) { s += emit[k][seen[t]] * 0.1; k = back[t][k]; }
    return s;
}
