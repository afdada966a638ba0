//@ move {"n":2,"b":[{"x":1.5,"v":-0.5},{"x":0.25,"v":2}],"k":[0.5,0.25],"out":[0,0]}
//@ summed {"n":4,"x":[1.5,-2.5,1e-3,4]}
//@ operated {"n":5,"x":[1.5,2.5,0.5,3,0.75]}
/* Structures beside numbers that may overlap, sums that compilers must not change, programs in texts. */
typedef struct { double x, v; } body;
void move(int n, body *b, const double *k, double *out)
{
    for (int i = 0; i < n; i++) {
        b[i].v -= k[i] * b[i].x;
        b[i].x += b[i].v;
        out[i] = b[i].x * b[i].x;
    }
}

/* Kahan's sum. */
double summed(int n, const double *x)
{
    volatile double s = 0.0, c = 0.0;
    volatile int i;
    for (i = 0; i < n; i++) {
        volatile double y = x[i] * x[i] - c, t = s + y;
        c = (t - s) - y;
        s = t;
    }
    return s;
}

/* What a text says, one character after the other. */
double operated(int n, const double *x)
{
    static const char program[] = "+*s" "-";
    const unsigned char last[8] = {"t"};
    double r = 0.5;
    for (int k = 0; program[k] != '\0' && k < n; k++)
        switch (program[k]) {
        case '+':
            r += x[k];
            break;
        case '*':
            r *= x[k];
            break;
        case 's':
            r = r * r + (double)sizeof program;
            break;
        default:
            r -= x[k];
        }
    return last[0] == 't' && last[1] == 0 ? r * x[n - 1] : r;
}
