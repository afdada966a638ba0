struct point { double x, y; };
double f(int n) { n = n * 2; struct point a[n]; a[0].x = n; return a[0].x; }
