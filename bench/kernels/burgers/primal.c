#include "burgers.h"

double burgers(int n, int steps, double c, const double *u0)
{
    double u[n], v[n];
    for (int i = 0; i < n; i++)
        u[i] = u0[i];
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++) {
            if (u[i] > 0.0)
                v[i] = u[i] - c * u[i] * (u[i] - u[i - 1]);
            else
                v[i] = u[i] - c * u[i] * (u[i + 1] - u[i]);
        }
        for (int i = 1; i < n - 1; i++)
            u[i] = v[i];
    }
    double energy = 0.0;
    for (int i = 0; i < n; i++)
        energy += 0.5 * u[i] * u[i];
    return energy;
}
