struct s { double x; };
double g(struct s *p);
double h();
double *k(double x);
#pragma cfgrev external(g) external(h) external(k)
double f(double x) { return x; }
