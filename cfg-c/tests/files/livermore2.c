/* Incomplete Cholesky conjugate gradient: halving the range in each step. */
void iccg(long n, double x[restrict 64], const double v[restrict 64])
{
    long ii = n, ipntp = 0, ipnt, i, k;
    do {
        ipnt = ipntp;
        ipntp += ii;
        ii /= 2;
        i = ipntp;
        for (k = ipnt + 1; k < ipntp; k = k + 2) {
            x[i] = x[k] - v[k] * x[k - 1] - v[k + 1] * x[k + 1];
            i++;
        }
    } while (ii > 1);
}
