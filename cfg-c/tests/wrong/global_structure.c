struct { double x; } p = {1.5}, q = p;
static double buffer[4], *first = buffer + 1, *second = first;
double f(double t) { static struct { double *to; double y; } s = {&buffer[2], t}; p.x *= 2; return t * p.x * *s.to * *second + q.x; }
