//@ loss {"n":2,"k":3,"w":[0.1,0.2,-0.3,0.4,0.5,-0.6],"x":[1.5,-0.5],"label":1}
#include <math.h>
static double log_sum(int k, const double *z)
{
    double m = -INFINITY, s = 0;
    for (int i = 0; i < k; i++) m = fmax(m, z[i]);
    for (int i = 0; i < k; i++) s += exp(z[i] - m);
    return m + log(s);
}
double loss(int n, int k, const double *w, const double *x, int label)
{
    double z[k], penalty = 0;
    for (int i = 0; i < k; i++) {
        z[i] = 0;
        for (int j = 0; j < n; j++) z[i] += *w * x[j], penalty += *w * *w, w++;
    }
    return log_sum(k, z) - z[label] + 0.01 * penalty;
}
