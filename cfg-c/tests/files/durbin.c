//@ durbin {"n":4,"r":[0.5,0.25,0.125,0.3],"y":[0.0,0.0,0.0,0.0]}
/* Yule-Walker equations. */
void durbin(int n, const double r[restrict n], double y[restrict n])
{
    double z[n];
    double alpha, beta, sum;
    int i, k;
    y[0] = -r[0];
    beta = 1.0;
    alpha = -r[0];
    for (k = 1; k < n; k++) {
        beta = (1 - alpha * alpha) * beta;
        sum = 0.0;
        for (i = 0; i < k; i++)
            sum += r[k - i - 1] * y[i];
        alpha = -(r[k] + sum) / beta;
        for (i = 0; i < k; i++)
            z[i] = y[i] + alpha * y[k - i - 1];
        for (i = 0; i < k; i++)
            y[i] = z[i];
        y[k] = alpha;
    }
}
