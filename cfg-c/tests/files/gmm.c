//@ gmm {"d":2,"k":2,"n":3,"alphas":[0.3,-0.2],"means":[0.1,0.5,-0.4,0.9],"icf":[0.2,-0.1,0.5,0.3,0.25,-0.6],"x":[0.5,1.5,-0.75,0.25,1.0,-1.25],"w":{"gamma":1.0,"m":0}}
/* Log likelihood of a Gaussian mixture whose inverse covariances have logarithms on the diagonal of their factors, with a
   Wishart prior. */
#include <math.h>
typedef struct { double gamma; int m; } Wishart;
static double log_sum_exp(int n, const double *x)
{
    double m = x[0], s = 0;
    for (int i = 1; i < n; i++) if (x[i] > m) m = x[i];
    for (int i = 0; i < n; i++) s += exp(x[i] - m);
    return m + log(s);
}
static double log_gamma_distribution(double a, int p)
{
    double r = 0.25 * p * (p - 1) * log(3.14159265358979323846);
    for (int j = 1; j <= p; j++) r += lgamma(a + 0.5 * (1 - j));
    return r;
}
static double wishart(int p, int k, Wishart w, const double *sum_qs, int icf_size, const double *icf)
{
    int n = p + w.m + 1;
    double c = n * p * (log(w.gamma) - 0.5 * log(2.0)) - log_gamma_distribution(0.5 * n, p), r = 0;
    for (int i = 0; i < k; i++) {
        double frobenius = 0;
        const double *own = &icf[i * icf_size];
        for (int j = 0; j < p; j++) frobenius += exp(own[j]) * exp(own[j]);
        for (int j = p; j < icf_size; j++) frobenius += own[j] * own[j];
        r += 0.5 * w.gamma * w.gamma * frobenius - w.m * sum_qs[i];
    }
    return r - k * c;
}
double gmm(int d, int k, int n, const double *restrict alphas, const double *restrict means,
           const double *restrict icf, const double *restrict x, Wishart w)
{
    int icf_size = d * (d + 1) / 2;
    double sum_qs[k], term[k], centered[d], q[d], slse = 0;
    for (int i = 0; i < k; i++) {
        sum_qs[i] = 0;
        for (int j = 0; j < d; j++) sum_qs[i] += icf[i * icf_size + j];
    }
    for (int i = 0; i < n; i++) {
        for (int c = 0; c < k; c++) {
            const double *l = icf + c * icf_size;
            for (int j = 0; j < d; j++) {
                centered[j] = x[i * d + j] - means[c * d + j];
                q[j] = exp(l[j]) * centered[j];
            }
            int at = d;
            for (int j = 0; j < d; j++)
                for (int r = j + 1; r < d; r++) q[r] += l[at++] * centered[j];
            double square = 0;
            for (int j = 0; j < d; j++) square += q[j] * q[j];
            term[c] = alphas[c] + sum_qs[c] - 0.5 * square;
        }
        slse += log_sum_exp(k, term);
    }
    double constant = -n * d * 0.5 * log(2 * 3.14159265358979323846);
    return constant + slse - n * log_sum_exp(k, alphas) + wishart(d, k, w, sum_qs, icf_size, icf);
}
