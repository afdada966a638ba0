double *work;
double f(double x) { return work[0] * x; }
