double f(double x) { return ({ double y = x; y * y; }); }
