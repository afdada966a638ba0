//@ row_later {"x":[0.3,0.7,1.1]}
//@ member_later {"x":[0.3,0.7,1.1]}
//@ row_or_vector {"n":3,"x":[0.3,0.7,1.1]}
/* Pointers that lead to a vector first, and later to a row of a matrix or an array that is a member. */
double row_later(const double x[3])
{
    double b[2] = {x[0], x[1]}, c[2][2] = {{0, 0}, {x[2], 1}}, *p = b, r = p[1];
    p = c[1];
    return r * p[0];
}

struct pair {
    double w[2];
};

double member_later(const double x[3])
{
    double b[2] = {x[0], x[1]};
    struct pair a[2] = {{{1, x[1]}}, {{x[2], 2}}};
    const double *p = b;
    double r = p[0];
    p++;
    r += *p;
    p = a[1].w;
    r *= p[0];
    p = b;
    return r * p[1];
}

double row_or_vector(int n, const double x[3])
{
    double b[2] = {x[0], x[1]}, c[2][2] = {{x[1], x[2]}, {x[2], 1}}, s = 0;
    const double *p = b;
    for (int i = 0; i < n; i++) {
        s += p[0] * p[1];
        p = i % 2 ? b : c[i / 2];
    }
    return s;
}
