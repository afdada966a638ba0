//@ sum {"n":3,"x":[0.1,0.2,0.3]} --fd-tolerance 1e-2 --tolerance 1e-5
//@ functions {"x":[0.5,0.25,1.75]} --fd-tolerance 1e-2 --tolerance 1e-4
//@ mixed {"x":[0.5,0.25],"y":[1.5,2.5]} --fd-tolerance 1e-2 --tolerance 1e-5
#include <math.h>
float sum(int n, const float *x)
{
    float s = 0;
    for (int i = 0; i < n; i++) s += x[i] * x[i] * 1.5f;
    return s;
}
float functions(const float *x)
{
    return sinf(x[0]) * expf(x[1]) + sqrtf(x[2]) * fabsf(-x[0]) + powf(x[2], x[0]) + fmaxf(x[0], x[1]) + logf(x[2]);
}
double mixed(const float *x, const double *y)
{
    float f = x[0] * y[0];
    double d = f * x[1] + (float) y[1];
    f += d;
    return f * y[1] + x[1] * 0.1f + 0.1;
}
