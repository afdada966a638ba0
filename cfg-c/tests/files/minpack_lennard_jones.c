//@ lennard_jones {"dim":3,"atoms":3,"x":[0.0,0.1,0.2,1.1,0.2,0.1,0.3,1.2,0.4]}
/* MINPACK-2: a Lennard-Jones cluster. */
double lennard_jones(int dim, int atoms, const double *x)
{
    double f = 0;
    for (int j = 1; j < atoms; j++) {
        const double *a = x + dim * j;
        for (const double *b = x; b < a; b += dim) {
            double r = 0;
            for (int k = 0; k < dim; k++) r += (a[k] - b[k]) * (a[k] - b[k]);
            double t = 1.0 / (r * r * r);
            f += t * (t - 2);
        }
    }
    return f;
}
