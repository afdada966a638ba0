//@ lstm {"layers":2,"hidden":2,"steps":3,"main":[0.1,-0.2,0.3,0.15,-0.05,0.25,0.2,-0.1,0.4,0.05,-0.3,0.1,0.2,0.3,-0.25,0.12,0.31,-0.07,0.22,0.18,-0.16,0.09,0.27,-0.11,0.13,0.06,-0.21,0.17,0.08,-0.04,0.19,0.23],"extra":[0.5,-0.4,0.3,0.2,0.1,0.6],"state":[0.1,0.2,0.3,0.4,-0.1,-0.2,-0.3,-0.4],"x":[0.5,-0.25,0.75,0.1,-0.6,0.35]}
/* A long short-term memory whose states are parts of one array, through which pointers walk. */
#include <math.h>
static double sigmoid(double x) { return 1.0 / (1.0 + exp(-x)); }
static void cell(int n, const double *weight, const double *bias, double *hidden, double *cells, const double *input)
{
    const double *f = weight, *i = f + n, *o = i + n, *g = o + n;
    for (int k = 0; k < n; k++) {
        double forget = sigmoid(input[k] * f[k] + bias[k]);
        double ingate = sigmoid(hidden[k] * i[k] + bias[n + k]);
        double outgate = sigmoid(input[k] * o[k] + bias[2 * n + k]);
        double change = tanh(hidden[k] * g[k] + bias[3 * n + k]);
        cells[k] = cells[k] * forget + ingate * change;
        hidden[k] = outgate * tanh(cells[k]);
    }
}
double lstm(int layers, int hidden, int steps, const double *main, const double *extra, double *state, const double *x)
{
    double input[hidden], out[hidden], loss = 0;
    for (int t = 0; t + 1 < steps; t++) {
        const double *w = main, *in = input;
        double *s = state;
        for (int k = 0; k < hidden; k++) input[k] = x[t * hidden + k] * extra[k];
        for (int l = 0; l < layers; l++) {
            cell(hidden, w, w + 4 * hidden, s, s + hidden, in);
            in = s;
            w += 8 * hidden;
            s += 2 * hidden;
        }
        double sum = 0;
        for (int k = 0; k < hidden; k++) {
            out[k] = in[k] * extra[hidden + k] + extra[2 * hidden + k];
            sum += exp(out[k]);
        }
        for (int k = 0; k < hidden; k++) loss += x[(t + 1) * hidden + k] * (out[k] - log(sum + 2));
    }
    return -loss / (steps - 1);
}
