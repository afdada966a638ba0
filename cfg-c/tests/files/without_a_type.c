//@ area {"x": 2.75, "k": 2}
//@ steps {"x": 0.75}
//@ steps {"x": 3.25}
/* Declarations without a type: what is declared is an int. */
static n = 3, halves[] = {1, 2.5, 3};
const offset = 4;
static volatile int typed = 2;

whole(x) double x; { return x * 2; }

static twice(i) { return 2 * i; }

sum(i, x)
double x;
{
    register k, s = 0;
    for (k = 0; k < i; k++)
        s += x;
    return s;
}

static double measured(x, k)
double x;
{
    static count = 1.75;
    register i;
    const last = n;
    double s = count * x;
    for (i = 0; i < last; i++)
        s += x * whole(x) * k * halves[i];
    return s + sum(n, x) * x + twice(offset) * x;
}

double area(double x, int k) { return measured(x, k); }

static double steps_of(double (*f)(double), double x) { return f(x); }
static square(register x) { return x * x; }
static double more(double x) { return x + square(x) * x; }
double steps(double x) { return steps_of(more, x) * square(x); }
