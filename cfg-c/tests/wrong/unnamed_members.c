/* A structure without a name has a place of its own, and gaps around it. */
struct outer {
    int k;
    struct {
        double u, v;
    };
    double c;
};
struct padded {
    double a;
    struct {
        double b;
        int c;
    };
    int d;
};
double f(double x)
{
    struct outer z = {1, {x}, 2.0};
    return z.u * z.c;
}
double g(double x)
{
    return x * sizeof(struct padded);
}
