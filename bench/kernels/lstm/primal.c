#include "lstm.h"

#include <math.h>

double lstm(int steps, int d, int h, const double *w, const double *u, const double *bias, const double *v,
            const double *x, const double *y)
{
    double state[h], next[h], cell[h], gate[4];
    for (int i = 0; i < h; i++) {
        state[i] = 0.0;
        cell[i] = 0.0;
    }
    double loss = 0.0;
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < h; i++) {
            for (int k = 0; k < 4; k++) {
                double z = bias[k * h + i];
                for (int j = 0; j < d; j++)
                    z += w[(k * h + i) * d + j] * x[t * d + j];
                for (int j = 0; j < h; j++)
                    z += u[(k * h + i) * h + j] * state[j];
                gate[k] = z;
            }
            const double forget = 1.0 / (1.0 + exp(-gate[0]));
            const double admit = 1.0 / (1.0 + exp(-gate[1]));
            const double emit = 1.0 / (1.0 + exp(-gate[2]));
            cell[i] = forget * cell[i] + admit * tanh(gate[3]);
            next[i] = emit * tanh(cell[i]);
        }
        double error = -y[t];
        for (int i = 0; i < h; i++) {
            state[i] = next[i];
            error += v[i] * state[i];
        }
        loss += 0.5 * error * error;
    }
    return loss;
}
