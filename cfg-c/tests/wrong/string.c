double f(double x) { char *s = "text"; return s[0] * x; }
