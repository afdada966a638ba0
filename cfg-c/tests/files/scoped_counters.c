//@ same_names {"n":3,"x":[1.5,2.5,0.5]}
//@ shadows {"n":3,"x":[1.5,2.5,0.5]}
//@ used_after {"n":4,"x":[1.5,2.5,0.5,0.25]}
double same_names(int n, const double *x)
{
    double s = 0;
    for (int i = 0; i < n; i++) s += x[i];
    for (int i = n - 1; i >= 0; i--) s = s * x[i] + i;
    for (unsigned i = 0; i < 2; i++) for (int j = 0; j < (int) i; j++) s += x[j] * x[i];
    return s;
}
double shadows(int n, const double *x)
{
    double s = 1, t = x[0];
    for (int i = 0; i < n; i++) {
        double t = x[i] * s;
        { int i = 2; t += x[i - 1]; }
        if (t > 2) { double s = t * t; t = s; }
        s += t;
    }
    int n2 = n;
    { int n = n2 - 1; s *= x[n]; }
    return s * t;
}
double used_after(int n, const double *x)
{
    int i, j = 0;
    double s = 0;
    for (i = 0; i < n; i++) if (x[i] < 1) break;
    s += x[i] * i;
    for (i = n; i > 0; i -= 3) j += i;
    for (; j < 8; j++) s += x[j % n] * i;
    return s + j;
}
