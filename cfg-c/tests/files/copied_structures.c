//@ f {"n":3,"x":[0.5,0.7,1.1]}
#include <string.h>
#include <stdlib.h>
/* memset and memcpy of structures with arrays, and of arrays of these. */
typedef struct { double pos[3], vel[3]; double mass; int id; } body;
typedef struct { body all[2]; double t; } state;
static void kick(body *b, const double f[3], double dt) { for (int k = 0; k < 3; k++) b->vel[k] += dt * f[k] / b->mass; }
double f(int n, const double *x)
{
    body bodies[3], saved[3], one;
    state s, old;
    memset(bodies, 0, sizeof bodies);
    memset(&s, 0, sizeof s);
    memset(&one, 0, sizeof(body));
    for (int i = 0; i < 3; i++) { bodies[i].mass = 1 + x[i]; bodies[i].id = i; memcpy(bodies[i].pos, x, 3 * sizeof(double)); }
    memcpy(saved, bodies, sizeof saved);
    memcpy(s.all, bodies, 2 * sizeof(body));
    memcpy(&old, &s, sizeof(state));
    memcpy(&one, &bodies[1], sizeof one);
    for (int i = 0; i < 3; i++) kick(&bodies[i], saved[i].pos, x[0]);
    kick(&one, bodies[0].vel, 0.5);
    memmove(&bodies[0], &bodies[1], 2 * sizeof bodies[0]);
    s.all[0] = bodies[0];
    body *heap = malloc(n * sizeof *heap);
    memcpy(heap, saved, n * sizeof *heap);
    memset(heap[0].vel, 0, sizeof heap[0].vel);
    double y = one.vel[0] + bodies[0].vel[1] * s.all[0].vel[2] + old.all[1].pos[0] + heap[1].mass + heap[0].vel[1];
    free(heap);
    return y;
}
