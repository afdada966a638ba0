//@ cg {"n":5,"c":3.5,"b":[1.0,2.0,-1.0,0.5,0.25]}
#define TOLERANCE 1e-10
static double dot(int n, const double *a, const double *b)
{
    double s = 0;
    for (int i = 0; i < n; i++) s += a[i] * b[i];
    return s;
}
/* Solves (tridiagonal with c on the diagonal) x = b. */
double cg(int n, double c, const double *b)
{
    double x[12] = {0}, r[12], p[12], q[12];
    double rho;
    for (int i = 0; i < n; i++)
        p[i] = r[i] = b[i];
    rho = dot(n, r, r);
    for (int it = 0; ; it++) {
        if (rho < TOLERANCE) break;
        if (it >= 2 * n) return -1;
        for (int i = 0; i < n; i++) {
            q[i] = c * p[i];
            if (i > 0) q[i] -= p[i - 1];
            if (i < n - 1) q[i] -= p[i + 1];
        }
        double alpha = rho / dot(n, p, q), old = rho;
        for (int i = 0; i < n; i++) { x[i] += alpha * p[i]; r[i] -= alpha * q[i]; }
        rho = dot(n, r, r);
        for (int i = 0; i < n; i++) p[i] = r[i] + rho / old * p[i];
    }
    return dot(n, x, x);
}
