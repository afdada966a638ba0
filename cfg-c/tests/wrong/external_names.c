double g(double x, double y);
#pragma cfgrev external(h) partial(x: 1)
#pragma cfgrev external(g) partial(z: 1, x: y * u)
#pragma cfgrev external(g) adjoint(g_b)
double f(double x, double y) { return g(x, y); }
