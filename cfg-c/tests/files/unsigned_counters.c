//@ down {"n":4,"x":[1.5,2.5,0.5,0.25]}
//@ down {"n":0,"x":[1.0]}
//@ bytes {"n":3,"x":[1.5,2.5,0.5]}
//@ by_two {"n":5,"x":[1.5,2.5,0.5,3.5,0.25]}
//@ mixed {"n":3,"x":[1.5,2.5,0.5]}
//@ shifts {"n":3,"x":[1.5,2.5,0.5]}
double down(unsigned n, const double *x)
{
    double s = 1;
    for (unsigned i = n; i-- > 0; ) s = s * 0.5 + x[i] * x[i];
    return s;
}
double bytes(unsigned char n, const double *x)
{
    double s = 0;
    for (unsigned char i = 250; i != n; i++) s += x[i % 3] * i;
    return s;
}
double by_two(unsigned long n, const double *x)
{
    double s = 0;
    for (unsigned long i = 0; i < n; i += 2) s += x[i] * x[n - 1 - i];
    for (unsigned short k = (unsigned short) n; k; k >>= 1) s *= x[k - 1];
    return s;
}
double mixed(int n, const double *x)
{
    double s = 0;
    unsigned k = 0;
    for (int i = -1; i < n; i++, k++) s += k * x[k % (unsigned) n] * (k > (unsigned) i);
    return s - 2 * (0u - 1u > 0u);
}
double shifts(unsigned n, const double *x)
{
    unsigned h = 2166136261u;
    double s = 0;
    while (n--) {
        h = (h ^ n) * 16777619u;
        s += x[h % 3u] * (h >> 28) + (~h & 1u);
    }
    return s;
}
