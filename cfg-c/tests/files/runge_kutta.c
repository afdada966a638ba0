//@ pendulum {"y":[0.5,0.25],"g":9.81,"l":1.5,"steps":5,"h":0.05}
/* Runge and Kutta's method of order four with work arrays in a structure. */
#include <math.h>
#include <string.h>
typedef struct { double k[4][2], t[2]; } Work;
static void right(const double *y, double g, double l, double *dy) { dy[0] = y[1]; dy[1] = -g / l * sin(y[0]); }
double pendulum(const double *y, double g, double l, int steps, double h)
{
    Work w;
    double z[2];
    memcpy(z, y, sizeof z);
    for (int s = 0; s < steps; s++) {
        right(z, g, l, w.k[0]);
        for (int j = 1; j < 4; j++) {
            double c = j == 3 ? h : 0.5 * h;
            for (int i = 0; i < 2; i++) w.t[i] = z[i] + c * w.k[j - 1][i];
            right(w.t, g, l, w.k[j]);
        }
        for (int i = 0; i < 2; i++) z[i] += h / 6 * (w.k[0][i] + 2 * w.k[1][i] + 2 * w.k[2][i] + w.k[3][i]);
    }
    return 0.5 * z[1] * z[1] - g / l * cos(z[0]);
}
