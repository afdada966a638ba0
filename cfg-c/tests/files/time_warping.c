//@ distance {"n":3,"m":4,"a":[1.1,2.3,0.5],"b":[0.7,1.6,2.2,0.65]}
/* Dynamic programming with two rows that take turns. */
#include <math.h>
#include <stdlib.h>
double distance(int n, int m, const double *a, const double *b)
{
    double *now = malloc((m + 1) * sizeof(double)), *before = malloc((m + 1) * sizeof(double));
    for (int j = 1; j <= m; j++) before[j] = 1e6 + j;
    before[0] = 0;
    for (int i = 1; i <= n; i++) {
        now[0] = 2e6 + i;
        for (int j = 1; j <= m; j++) {
            double d = (a[i - 1] - b[j - 1]) * (a[i - 1] - b[j - 1]);
            now[j] = d + fmin(before[j - 1], fmin(before[j], now[j - 1]));
        }
        double *t = now;
        now = before;
        before = t;
    }
    double r = sqrt(before[m]);
    free(now);
    free(before);
    return r;
}
