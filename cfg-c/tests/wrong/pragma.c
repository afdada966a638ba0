#pragma cfgrev independent(x) dependant(y)
double f(double x, double y) { return x * y; }
