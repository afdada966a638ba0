//@ gmres {"n":3,"a":[4,1,0.5,-1,3,0.2,0.3,0.7,5],"b":[1,2,-0.5],"m":2}
#include <stdlib.h>
#include <math.h>
static double **alloc2(int n, int m)
{
    double **a = malloc(n * sizeof(double *));
    a[0] = calloc((size_t)n * m, sizeof(double));
    for (int i = 1; i < n; i++) a[i] = a[0] + i * m;
    return a;
}
static void free2(double **a) { free(a[0]); free(a); }
static void matvec(int n, const double *a, const double *x, double *y)
{
    for (int i = 0; i < n; i++) { y[i] = 0; for (int j = 0; j < n; j++) y[i] += a[i * n + j] * x[j]; }
}
double gmres(int n, const double *a, const double *b, int m)
{
    double **V = alloc2(m + 1, n), **H = alloc2(m + 1, m);
    double *cs = malloc(m * sizeof *cs), *sn = malloc(m * sizeof *sn), *s = calloc(m + 1, sizeof *s), *y = malloc(m * sizeof *y);
    double beta = 0;
    for (int i = 0; i < n; i++) beta += b[i] * b[i];
    beta = sqrt(beta);
    for (int i = 0; i < n; i++) V[0][i] = b[i] / beta;
    s[0] = beta;
    int k = 0;
    for (int j = 0; j < m; j++, k++) {
        double *w = V[j + 1];
        matvec(n, a, V[j], w);
        for (int i = 0; i <= j; i++) {
            double h = 0;
            for (int l = 0; l < n; l++) h += w[l] * V[i][l];
            H[i][j] = h;
            for (int l = 0; l < n; l++) w[l] -= h * V[i][l];
        }
        double nrm = 0;
        for (int l = 0; l < n; l++) nrm += w[l] * w[l];
        H[j + 1][j] = nrm = sqrt(nrm);
        if (nrm < 1e-14) { k++; break; }
        for (int l = 0; l < n; l++) w[l] /= nrm;
        for (int i = 0; i < j; i++) {
            double t = cs[i] * H[i][j] + sn[i] * H[i + 1][j];
            H[i + 1][j] = -sn[i] * H[i][j] + cs[i] * H[i + 1][j];
            H[i][j] = t;
        }
        double d = hypot(H[j][j], H[j + 1][j]);
        cs[j] = H[j][j] / d; sn[j] = H[j + 1][j] / d;
        H[j][j] = d; H[j + 1][j] = 0;
        s[j + 1] = -sn[j] * s[j];
        s[j] *= cs[j];
    }
    for (int i = k - 1; i >= 0; i--) {
        y[i] = s[i];
        for (int j = i + 1; j < k; j++) y[i] -= H[i][j] * y[j];
        y[i] /= H[i][i];
    }
    double out = 0;
    for (int i = 0; i < n; i++) for (int j = 0; j < k; j++) out += (i + 1) * V[j][i] * y[j];
    free2(V); free2(H); free(cs); free(sn); free(s); free(y);
    return out;
}
