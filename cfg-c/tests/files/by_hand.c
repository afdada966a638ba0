//@ by_hand {"x":0.7,"y":2.5}
//@ parts {"x":[3.25,-0.6,0.01]}
//@ inside {"x":0.4}
//@ own {"x":1.3}
/* Functions of the library without their headers, as C allows to declare them. */
extern double sin(double), cos(double), exp(double angle);
double sqrt();
double frexp(double, int *), ldexp(const double, int);
void *malloc(unsigned long);
void free(void *);
int printf(const char *format, ...);
int isdigit(int), abs();
double by_hand(double x, double y)
{
    double *work = malloc(2 * sizeof(double));
    work[0] = sin(x) * cos(y);
    work[1] = sqrt(x * x + y * y) * exp(-x);
    if (work[0] > 1e9)
        printf("%g\n", work[0]);
    y = work[0] * work[1] + abs(-3) + !!isdigit('7');
    free(work);
    return y;
}

double parts(const double x[3])
{
    double s = 0;
    for (int i = 0; i < 3; i++) {
        int n;
        double part = frexp(x[i], &n);
        s += part * part * ldexp(x[i], n);
    }
    return s;
}

double inside(double x)
{
    double tanh(double), floor(double);
    {
        extern double pow(double, double);
        x = pow(x, tanh(x));
    }
    return x + floor(x);
}

/* Declared as that of the library, and defined here. */
double cbrt(double);
static double scaled(double x) { return cbrt(x) * 2; }
static int calls;
double cbrt(double x) { calls++; return x * x; }
double own(double x)
{
    double a = scaled(x);
    a *= calls;
    calls = 0;
    return a;
}
