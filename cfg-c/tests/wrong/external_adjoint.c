double g(double x, int k, const double *a);
void g_b(double x, double *x_b, int k, const double *a, double value_b);
#pragma cfgrev external(g) adjoint(g_b)
#pragma cfgrev external(k) value(x)
double k(double x) { return x * x; }
double f(double x, const double *a) { return g(x, 2, a) * k(x); }
