#pragma cfgrev independent(z, n) dependent(return)
double f(int n, double x) { return x * n; }
