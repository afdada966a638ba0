#include <math.h>
double g(double x);
#pragma cfgrev external() partial(x: 1)
#pragma cfgrev external(g) partial(x 1)
#pragma cfgrev external(g) adjoint(a, b)
#pragma cfgrev value(x)
#pragma cfgrev no-diff(g, 1)
#pragma cfgrev external(sin) partial(x: cos(x))
double f(double x) { return g(x); }
