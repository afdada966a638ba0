struct closure { double (*f)(double, void *); void *data; };
static double g(double x, void *p) { return p ? x * *(double *)p : x; }
static double h(double x, void *p) { return x * *(int *)p; }
double f(double x, double y)
{
    int k = 2;
    struct closure c = {g, 0}, d = {h, &k};
    double s = d.f(x, d.data);
    for (int i = 0; i < 2; i++) {
        s += c.f(x, c.data);
        c.data = &y;
    }
    return s;
}
