struct point { double x, y; };
struct edge { struct point from, to; };
double f(double v)
{
    struct point p = {v, 2 * v};
    struct edge e = {p, .from.x = 3};
    return e.from.x + e.from.y;
}
