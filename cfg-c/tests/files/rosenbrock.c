//@ rosenbrock {"n":4,"x":[-1.2,1.0,0.5,1.5]}
/* Rosenbrock's function of n variables. */
double rosenbrock(int n, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < n - 1; i++) {
        double a = x[i + 1] - x[i] * x[i], b = 1.0 - x[i];
        sum += 100.0 * a * a + b * b;
    }
    return sum;
}
