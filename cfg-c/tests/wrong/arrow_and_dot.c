typedef struct { double x; } P;
double f(P p, const P *q) { return p->x + q.x; }
