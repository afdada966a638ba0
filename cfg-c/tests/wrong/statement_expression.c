double f(double x) { return ({ double y = x; if (y < 0) y = -y; y * y; }); }
