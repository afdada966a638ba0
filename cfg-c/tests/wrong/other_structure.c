typedef struct { double x; } P;
typedef struct { double x; } Q;
double f(P p) { Q q; q = p; return q.x; }
