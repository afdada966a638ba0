double f(int k, int m, double x) { switch (k) { case m: return x; } return 0; }
