//@ unreached {"n":3,"x":[0.5,-1.5,2.0]}
/* Arms that constants close, with what could not be read there, and one that stays since a jump leads into it. */
#include <stdlib.h>
#include <string.h>
double unreached(int n, const double *x)
{
    double other[3] = {1, 2, 3};
    double *p = malloc(n * sizeof *p);
    const double *q = x;
    if (sizeof(double) != 8) {
        union { double d; unsigned char bytes[8]; } u;
        u.d = x[0];
        return u.bytes[0];
    } else if (n > 2)
        p[0] = x[2];
    else
        p[0] = x[0];
    if ((~3 & 7) & 1)
        p = other;
    if (0)
        q = other;
    else if (1)
        q++;
    else
        q = p;
    for (int i = 1; i < n; i++)
        p[i] = x[i] * p[i - 1] + *q;
    double s = 0;
    if (0) {
again:
        s += x[1];
    }
    s += p[n - 1] * p[0];
    if (s < 0 && s > -100)
        goto again;
    free(p);
    return s;
}
