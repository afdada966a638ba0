//@ endless {"n":4,"x":[1.5,2.5,0.5,0.25]}
//@ once {"x":[1.5,2.5]}
//@ steps {"n":7,"x":[1.5,2.5,0.5,0.25,3.0,1.0,2.0]}
//@ nested {"n":4,"x":[1.5,2.5,0.5,0.25]}
//@ moving_bound {"n":4,"x":[1.5,2.5,0.5,0.25]}
//@ empty {"n":0,"x":[1.5]}
double endless(int n, const double *x)
{
    double s = 0;
    for (int i = 0; ; i++) {
        if (i == n) break;
        if (x[i] < 0.4) continue;
        s += x[i] * x[i];
    }
    while (1) { s *= 0.5; if (s < 1) break; }
    return s;
}
double once(const double *x) { double s = x[0]; do { s *= x[1]; if (s > 100) break; s += 1; } while (0); return s; }
double steps(int n, const double *x)
{
    double s = 0;
    for (int i = 0; i < n; i += 3) s += x[i];
    for (int i = n - 1; i >= 0; i -= 2) s = s * 0.5 + x[i];
    for (int i = 1; i < n; i *= 2) s += x[i] * i;
    for (int i = n; i > 0; i /= 2) s -= x[i - 1];
    for (int i = 0; i != n; ++i) s += x[i] * 0.1;
    for (int i = 0; 2 * i + 1 <= n - 1; i = i + 1) s *= x[2 * i + 1];
    return s;
}
double nested(int n, const double *x)
{
    double s = 0;
    for (int i = 0; i < n; i++) {
        int j = i;
        while (j-- > 0) {
            if ((i + j) % 3 == 0) continue;
            s += x[i] * x[j];
            do { s *= 0.75; if (s < 0.5) goto done; } while (s > 2);
done:       ;
        }
    }
    return s;
}
double moving_bound(int n, const double *x)
{
    double s = 0;
    int m = n;
    for (int i = 0; i < m; i++) {
        s += x[i] * (m - i);
        if (x[i] > 2) m--;
    }
    for (int i = 0; i < n; i++) { s *= x[i]; if (s > 3) i++; }
    return s;
}
double empty(int n, const double *x)
{
    double s = x[0];
    for (int i = 0; i < n; i++) s *= 2;
    while (n) s = 0, n--;
    return s * s;
}
