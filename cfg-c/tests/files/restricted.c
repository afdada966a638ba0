//@ saxpy {"n":3,"a":1.5,"x":[1.0,2.0,3.0],"y":[0.5,0.25,0.75]}
//@ rotate {"n":2,"x":[1.0,2.0],"y":[0.5,0.25],"c":0.6,"s":0.8}
#include <math.h>
void saxpy(int n, double a, const double *restrict x, double *restrict y) { for (int i = 0; i < n; i++) y[i] += a * x[i]; }
static inline void rot(int n, double *restrict x, double *restrict y, const double c, double const s)
{
    for (int i = 0; i < n; i++) {
        const double t = c * x[i] + s * y[i];
        y[i] = c * y[i] - s * x[i];
        x[i] = t;
    }
}
void rotate(int n, double *restrict x, double *restrict y, double c, double s)
{
    double r = sqrt(c * c + s * s);
    rot(n, x, y, c / r, s / r);
    saxpy(n, 2, x, y);
}
