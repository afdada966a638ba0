//@ f {"n":3,"x":[0.5,-1.25,2.0]}
//@ f {"n":5,"x":[0.5,-1.25,2.0]}
//@ g {"n":4,"x":[0.5,-1.25,2.0]}
//@ h {"n":2,"x":[0.5,-1.25,2.0]}
/* Loops whose bodies always leave, so that what comes at their ends is never reached. */
#include <math.h>
double f(int n, double x[3])
{
    double s = x[0];
    int w = 2;
    do {
        s += x[1] * s;
        if (n > 4) break;
        if (1 == 1) break;
        s *= 2;
    } while (n > 3 && w-- > 0);
    return s * x[2];
}
double g(int n, double x[3])
{
    double s = 0;
    int w = 2;
    for (int i = 0; i < n; i++) {
        do {
            s += x[i % 3];
            goto out;
        again:
            s *= 3;
        } while (w-- > 0 && s < 4 || ++w > 7);
    out:
        s = s * s;
        if (i == 1 && n-- > 3) goto again;
        do {
            s += 0.25;
            continue;
        } while (0);
    }
    return s;
}
double h(int n, double x[3])
{
    int w = 3;
    double s = x[0];
    do {
        do {
            s = sin(s) + x[1];
            return s * x[2];
        unused:
            s += 1;
        } while (w-- > 0 && n > 1);
    } while (--w || s > 3);
    return s;
}
