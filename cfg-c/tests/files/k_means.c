//@ k_means {"n":5,"k":2,"x":[0.1,0.3,2.1,2.4,1.9],"c":[0.0,2.0],"rounds":3}
/* Means of clusters: assignments decide, and are made anew. */
#include <float.h>
double k_means(int n, int k, const double *x, double *c, int rounds)
{
    int owner[n], size[k];
    double sum[k], cost = 0;
    while (rounds-- > 0) {
        for (int j = 0; j < k; j++) sum[j] = 0, size[j] = 0;
        cost = 0;
        for (int i = 0; i < n; i++) {
            double best = DBL_MAX;
            for (int j = 0; j < k; j++) {
                double d = (x[i] - c[j]) * (x[i] - c[j]);
                if (d < best) best = d, owner[i] = j;
            }
            cost += best;
            sum[owner[i]] += x[i];
            size[owner[i]]++;
        }
        for (int j = 0; j < k; j++) if (size[j]) c[j] = sum[j] / size[j];
    }
    return cost;
}
