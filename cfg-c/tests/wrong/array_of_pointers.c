double f(double *x) { double *rows[2] = {x, x + 1}; return rows[1][0]; }
