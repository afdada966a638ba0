//@ longs {"n":4,"x":[1.5,2.5,0.5,0.25]}
//@ offsets {"n":4,"x":[1.5,2.5,0.5,0.25]}
#include <stddef.h>
#include <stdint.h>
double longs(long n, const double *x)
{
    double s = 0;
    for (long i = 0; i < n; i++) for (long long j = i; j >= 0; j -= 2) s += x[i] * x[j];
    for (int64_t k = n - 1; k > -1; --k) s *= x[k];
    return s;
}
double offsets(size_t n, const double *x)
{
    double s = 0;
    ptrdiff_t step = -1;
    for (ptrdiff_t i = (ptrdiff_t) n - 1; i >= 0; i += step) s = s * x[i] + 1;
    for (size_t i = 0, j = n; i < j; ++i, --j) s += x[i] * x[j - 1];
    return s;
}
