//@ conditional {"n":6,"vlin":[0.5,0.25,1.5,0.75,0.6,1.1],"vlr":[0.9,1.1,0.3,0.8,0.7,1.2],"vsp":[1.5,0.5,0.25,0.4,1.25,0.6],"vstp":[0.3,0.7,1.4,0.2,0.5,0.9],"vxne":[0,0,0,0,0,0],"vxnd":[0,0,0,0,0,0],"ve3":[0,0,0,0,0,0]}
/* Livermore loop 17: implicit conditional computation, a loop that is entered in its middle. */
double conditional(int n, const double *vlin, const double *vlr, const double *vsp, const double *vstp, double *vxne, double *vxnd, double *ve3)
{
    int i = n - 1, j = 0, ink = -1;
    double scale = 5.0 / 3.0, xnm = 1.0 / 3.0, e6 = 1.03 / 3.07, e3, xnei, xnc;
    goto l61;
l60:
    e6 = xnm * vsp[i] + vstp[i];
    vxne[i] = e6;
    xnm = e6;
    ve3[i] = e6;
    i += ink;
    if (i == j) goto l62;
l61:
    e3 = xnm * vlr[i] + vlin[i];
    xnei = vxne[i];
    vxnd[i] = e6;
    xnc = scale * e3;
    if (xnm > xnc) goto l60;
    if (xnei > xnc) goto l60;
    ve3[i] = e3;
    e6 = e3 + e3 - xnm;
    vxne[i] = e3 + e3 - xnei;
    xnm = e6;
    i += ink;
    if (i != j) goto l61;
l62:
    return xnm * e6;
}
