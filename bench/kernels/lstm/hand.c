#include "lstm.h"

#include <math.h>

/* Steps whose outer products are added to the adjoints of the weights at a time; with eight it is not faster. */
#define BATCH 4

/* Adds four multiples of rows that are `stride` apart. Two elements at a time are one vector even at -O2; plain loops
 * make the gradient a tenth slower there. */
static void add_rows(int n, double f0, double f1, double f2, double f3, const double *restrict rows, int stride,
                     double *restrict to)
{
    const double *restrict r0 = rows, *restrict r1 = r0 + stride;
    const double *restrict r2 = r1 + stride, *restrict r3 = r2 + stride;
    int j = 0;
    for (; j + 2 <= n; j += 2) {
        to[j] += (f0 * r0[j] + f1 * r1[j]) + (f2 * r2[j] + f3 * r3[j]);
        to[j + 1] += (f0 * r0[j + 1] + f1 * r1[j + 1]) + (f2 * r2[j + 1] + f3 * r3[j + 1]);
    }
    if (j < n)
        to[j] += (f0 * r0[j] + f1 * r1[j]) + (f2 * r2[j] + f3 * r3[j]);
}

static void add_row(int n, double f, const double *restrict row, double *restrict to)
{
    for (int j = 0; j < n; j++)
        to[j] += f * row[j];
}

double lstm_grad(int steps, int d, int h, const double *restrict w, double *restrict w_b, const double *restrict u,
                 double *restrict u_b, const double *restrict bias, double *restrict bias_b, const double *restrict v,
                 double *restrict v_b, const double *restrict x, const double *restrict y, struct room *room)
{
    const size_t cells = (size_t)h, all = (size_t)(steps > 0 ? steps : 0);
    double *kept = room_for(room, 7 * cells * all + 2 * cells + all);
    if (kept == NULL && (steps > 0 || h > 0))
        return NAN;
    double cell_b[h], state_b[h], held_b[BATCH * 4 * h], gate[4];
    /* states and cells before each step and after the last one, then the gates, and the hyperbolic tangents */
    double *restrict states = kept, *restrict cells_at = states + cells * (all + 1);
    double *restrict gates = cells_at + cells * (all + 1), *restrict errors = gates + 5 * cells * all;
    for (int i = 0; i < h; i++) {
        states[i] = 0.0;
        cells_at[i] = 0.0;
        cell_b[i] = 0.0;
        state_b[i] = 0.0;
    }
    double loss = 0.0;
    for (int t = 0; t < steps; t++) {
        const double *restrict state = states + (size_t)t * cells, *restrict cell = cells_at + (size_t)t * cells;
        double *restrict after = states + (size_t)(t + 1) * cells;
        double *restrict cell_after = cells_at + (size_t)(t + 1) * cells;
        double *restrict at = gates + 5 * (size_t)t * cells;
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
            const double offer = tanh(gate[3]);
            cell_after[i] = forget * cell[i] + admit * offer;
            const double shown = tanh(cell_after[i]);
            after[i] = emit * shown;
            at[5 * i] = forget;
            at[5 * i + 1] = admit;
            at[5 * i + 2] = emit;
            at[5 * i + 3] = offer;
            at[5 * i + 4] = shown;
        }
        double error = -y[t];
        for (int i = 0; i < h; i++)
            error += v[i] * after[i];
        loss += 0.5 * error * error;
        errors[t] = error;
        for (int i = 0; i < h; i++)
            v_b[i] += error * after[i];
    }

    /* the last step held is the first of the batch, so that its steps are in ascending order */
    int held = BATCH;
    for (int t = steps - 1; t >= 0; t--) {
        const double *restrict cell = cells_at + (size_t)t * cells, *restrict at = gates + 5 * (size_t)t * cells;
        double *restrict z_b = held_b + --held * 4 * h;
        const double error = errors[t];
        for (int i = 0; i < h; i++) {
            const double forget = at[5 * i], admit = at[5 * i + 1], emit = at[5 * i + 2], offer = at[5 * i + 3];
            const double shown = at[5 * i + 4];
            const double s_b = state_b[i] + error * v[i], shown_b = s_b * emit;
            const double c_b = cell_b[i] + shown_b * (1.0 - shown * shown);
            z_b[i] = c_b * cell[i] * (forget * (1.0 - forget));
            z_b[h + i] = c_b * offer * (admit * (1.0 - admit));
            z_b[2 * h + i] = shown * shown_b * (1.0 - emit);
            z_b[3 * h + i] = c_b * admit * (1.0 - offer * offer);
            cell_b[i] = c_b * forget;
            state_b[i] = 0.0;
        }
        for (int r = 0; r < 4 * h; r += 4)
            add_rows(h, z_b[r], z_b[r + 1], z_b[r + 2], z_b[r + 3], u + r * h, h, state_b);
        if (held == 0) {
            held = BATCH;
            for (int r = 0; r < 4 * h; r++) {
                const double f0 = z_b[r], f1 = z_b[4 * h + r], f2 = z_b[8 * h + r], f3 = z_b[12 * h + r];
                bias_b[r] += (f0 + f1) + (f2 + f3);
                add_rows(d, f0, f1, f2, f3, x + t * d, d, w_b + r * d);
                add_rows(h, f0, f1, f2, f3, states + (size_t)t * cells, h, u_b + r * h);
            }
        }
    }
    for (int t = 0; held < BATCH; t++, held++) {
        const double *restrict z_b = held_b + held * 4 * h;
        for (int r = 0; r < 4 * h; r++) {
            bias_b[r] += z_b[r];
            add_row(d, z_b[r], x + t * d, w_b + r * d);
            add_row(h, z_b[r], states + (size_t)t * cells, u_b + r * h);
        }
    }
    return loss;
}
