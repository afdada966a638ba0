//@ transport {"n":4,"y":[1.5,2.5,3.5,1.25],"u":[0.5,0.25,0.75,0.5],"v":[1.0,1.5,0.5,1.25],"x":[1.0,2.0,3.0,4.0],"dk":0.75}
/* Discrete ordinates transport with conditional bounds. */
double transport(int n, const double *y, const double *u, const double *v, double *restrict x, double dk)
{
    double xx = x[0];
    for (int k = 0; k < n; k++) {
        double di = y[k] - 0.5 / (xx + dk);
        double dn = 0.2;
        if (di) {
            dn = v[k] / di;
            if (dn > 2.0) dn = 2.0;
            if (dn < 0.1) dn = 0.1;
        }
        x[k] = ((u[k] + v[k] * dn) * xx + u[k]) / (v[k] + v[k] * dn);
        xx = (x[k] - xx) * dn + xx;
    }
    return xx;
}
