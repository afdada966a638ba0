//@ kinds {"n":7,"x":[1.5,2.5,0.5,0.25,3.0,1.0,2.0]}
//@ ranges {"k":5,"x":[1.5,2.5]}
//@ ranges {"k":-3,"x":[1.5,2.5]}
//@ ranges {"k":70,"x":[1.5,2.5]}
enum kind { SUM, PRODUCT, SCALE, SKIP, LAST };
double kinds(int n, const double *x)
{
    double s = 1;
    for (int i = 0; i < n; i++) {
        enum kind k = (enum kind) (i % LAST);
        switch (k) {
        case SUM: s += x[i]; break;
        case PRODUCT: { double t = x[i]; s *= t; } /* falls through */
        case SCALE: s *= 0.5; break;
        case SKIP: continue;
        case LAST: return 0;
        }
        s += 0.125;
    }
    return s;
}
double ranges(int k, const double *x)
{
    switch (k) {
        double t;
    case -3: t = x[0]; return t * t;
    case 'A' + 5: return x[1] * 3;
    case 1: case 3: case 5:
        switch (k - 1) { case 4: return x[0] * x[1]; default: break; }
    default:
        if (k > 2) return x[0];
    }
    return x[1];
}
