//@ odd_forms {"x":[[1.5,2.5],[0.5,0.25]]}
//@ qualifiers {"n":3,"x":[1.5,2.5,0.5]}
typedef double Real, Pair[2];
static double second(const Pair p) { return p[1]; }
typedef const Real *In;
static Real (first)(In(x)) { return 0[x]; }
double odd_forms(const double (*x)[2])
{
    double const two = 2, *p = *x;
    double (a)[(2)], *(b) = a;
    a[0] = *p, 1[a] = *(p + 1);
    return first(x[1]) * two * second(x[0]) + b[1] * *b + (*x)[0] + *x[1] + *(x[0] + 1);
}
extern double qualifiers(int n, const double x[static 3]);
double qualifiers(register int n, const double x[restrict static 3])
{
    auto double s = 0;
    for (register int i = 0; i < n; ++i) s += (const double) x[i];
    ;;
    return (s);
}
