//@ burgers {"n":6,"u0":[1.0,0.5,-0.25,0.75,1.25,0.1],"c":0.3,"steps":20}
#include <stdbool.h>
/* Upwind steps until the change is small. */
double burgers(int n, const double *u0, double c, int steps)
{
    double u[16], v[16];
    bool done = false;
    for (int i = 0; i < n; i++)
        u[i] = u0[i];
    for (int t = 0; t < steps && !done; t++) {
        double change = 0;
        for (int i = 0; i < n; i++) {
            double left = u[i == 0 ? n - 1 : i - 1], right = u[(i + 1) % n];
            double du = u[i] > 0 ? u[i] - left : right - u[i];
            v[i] = u[i] - c * u[i] * du;
            change += (v[i] - u[i]) * (v[i] - u[i]);
        }
        for (int i = 0; i < n; i++)
            u[i] = v[i];
        if (change < 1e-3) {
            done = true;
            continue;
        }
        if (change > 1e3)
            return -1.0;
    }
    double e = 0;
    for (int i = 0; i < n; i++)
        e += 0.5 * u[i] * u[i];
    return e;
}
