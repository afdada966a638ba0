float f(double *x) { return *(float *) x; }
