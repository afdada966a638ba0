//@ f {"x":1.5}
/* A function that returns a structure and takes one, called by one that returns a number. */
struct pair { double a, b; };
static struct pair squared(double x)
{
    struct pair q;
    q.a = x;
    q.b = x * x;
    return q;
}
static struct pair product(struct pair p, struct pair q)
{
    struct pair r = {p.a * q.a - p.b * q.b, p.a * q.b + p.b * q.a};
    return r;
}
double f(double x)
{
    struct pair q = squared(x), r = product(q, squared(q.b));
    return r.a * r.b + q.a;
}
