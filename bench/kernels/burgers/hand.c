#include "burgers.h"

#include <math.h>
#include <string.h>

double burgers_grad(int n, int steps, double c, double *restrict c_b, const double *restrict u0,
                    double *restrict u0_b, struct room *room)
{
    const size_t row = (size_t)n;
    double *tape = room_for(room, row * ((size_t)steps + 1));
    double adjoint[2 * (n + 2)];
    if (tape == NULL)
        return NAN;
    memcpy(tape, u0, row * sizeof *tape);
    for (int t = 0; t < steps; t++) {
        const double *restrict u = tape + row * (size_t)t;
        double *restrict v = tape + row * (size_t)(t + 1);
        v[0] = u[0];
        for (int i = 1; i < n - 1; i++) {
            const double d = u[i] > 0.0 ? u[i] - u[i - 1] : u[i + 1] - u[i];
            v[i] = u[i] - c * u[i] * d;
        }
        v[n - 1] = u[n - 1];
    }
    const double *last = tape + row * (size_t)steps;
    double *u_b = adjoint, *v_b = adjoint + n;
    double energy = 0.0, c_sum = 0.0;
    for (int i = 0; i < n; i++) {
        energy += 0.5 * last[i] * last[i];
        u_b[i] = last[i];
    }
    for (int t = steps - 1; t >= 0; t--) {
        const double *restrict u = tape + row * (size_t)t;
        double *swap = v_b;
        v_b = u_b;
        u_b = swap;
        u_b[0] = v_b[0];
        u_b[1] = 0.0;
        for (int i = 1; i < n - 1; i++) {
            const double w = c * v_b[i];
            const double wu = w * u[i];
            if (u[i] > 0.0) {
                const double d = u[i] - u[i - 1];
                u_b[i - 1] += wu;
                u_b[i] += v_b[i] - w * d - wu;
                u_b[i + 1] = 0.0;
                c_sum -= v_b[i] * u[i] * d;
            } else {
                const double d = u[i + 1] - u[i];
                u_b[i] += v_b[i] - w * d + wu;
                u_b[i + 1] = -wu;
                c_sum -= v_b[i] * u[i] * d;
            }
        }
        u_b[n - 1] += v_b[n - 1];
    }
    for (int i = 0; i < n; i++)
        u0_b[i] += u_b[i];
    *c_b += c_sum;
    return energy;
}
