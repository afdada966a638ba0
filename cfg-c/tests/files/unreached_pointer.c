//@ unreached_pointer {"y":[0.5],"a":1.25}
//@ half_constant {"y":[0.5],"a":1.25}
//@ half_constant {"y":[1.5],"a":0.25}
/* A pointer that only an arm which constants close would have led elsewhere. */
#include <stdlib.h>
static double *make(int n, double a) { double *m = malloc((size_t)n * sizeof *m); for (int i = 0; i < n; i++) m[i] = a*i; return m; }
double unreached_pointer(const double *y, double a)
{
    double v2[2][3];
    for (int i = 0; i < 2; i++) { v2[i][0] = a; v2[i][1] = a*y[0]; v2[i][2] = i; }
    double *vp = make(3, a);
    if (0)
        vp = v2[1];
    vp[1] = vp[1] + a;
    return vp[0]*vp[1];
}
/* The same where constants decide on a part of the condition. What is beside them is evaluated. */
double half_constant(const double *y, double a)
{
    double v2[2][3];
    int n = 0;
    for (int i = 0; i < 2; i++) { v2[i][0] = a; v2[i][1] = a*y[0]; v2[i][2] = i; }
    double *vp = make(3, a);
    if (a < 1 && 3/3 > 1)
        vp = v2[1];
    if (n++ > a || !(y[0] > 1 && 0))
        vp[1] += y[0];
    else
        vp = v2[0];
    if ((n++, y[0] < 1) && sizeof(double) != 8)
        vp = v2[1];
    else if (n++ < 0)
        vp[0] = 7;
    return vp[0]*vp[1]*n + vp[1]*vp[1]*vp[2];
}
