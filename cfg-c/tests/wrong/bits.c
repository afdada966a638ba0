#include <stdint.h>
#include <string.h>
double f(double x, const double *y)
{
    uint64_t u = *(uint64_t *)&x;
    uint32_t high = ((const uint32_t *)y)[1];
    memcpy(&u, &x, sizeof u);
    *(int64_t *)&x = (int64_t)u;
    return x + high;
}
