//@ chain {"k":0,"x":[1.5,2.5,0.5]}
//@ chain {"k":1,"x":[1.5,2.5,0.5]}
//@ chain {"k":5,"x":[1.5,2.5,0.5]}
//@ clamped {"x":[1.5,2.5,0.5]}
//@ lazy {"n":0,"x":[1.5]}
//@ lazy {"n":1,"x":[1.5]}
double chain(int k, const double *x)
{
    return k == 0 ? x[0] * x[1] : k == 1 ? x[1] * x[2] : k > 3 && x[0] > 1 ? (x[2] > 0 ? x[2] : -x[2]) : 0;
}
double clamped(const double *x)
{
    double lo = x[2], hi = x[0], v = x[1];
    v = v < lo ? lo : v > hi ? hi : v;
    int sign = v > 0 ? 1 : v < 0 ? -1 : 0;
    return v * sign + (sign == 1 ? 2.0f : 3) * lo + (x[0] > x[1]) * hi;
}
double lazy(int n, const double *x) { return n > 0 && x[n - 1] > 0 ? x[n - 1] * 2 : n == 0 || x[n + 5] > 0 ? 1 + x[0] : 0; }
