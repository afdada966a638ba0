#include <math.h>

/* The logarithm of the sum of exponentials; the largest element is taken out so that none overflows. */
double lse(int n, const double *x)
{
    double top = x[0], sum = 0.0;
    for (int i = 1; i < n; i++)
        if (x[i] > top)
            top = x[i];
    for (int i = 0; i < n; i++)
        sum += exp(x[i] - top);
    return top + log(sum);
}
