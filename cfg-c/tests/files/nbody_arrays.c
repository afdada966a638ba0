//@ simulate {"n":3,"mass":[1,0.5,0.25],"state":[0,0,0,0,0,0.1,1,0,0.1,0,1,0,-1,0.5,0,0.3,-0.8,0],"dt":0.05,"steps":5}
#include <math.h>
#include <stdlib.h>
#include <string.h>
#define G 1.0
#define SOFT2 1e-2

typedef struct bodies {
    size_t count;
    double *restrict mass;
    double *px, *py, *pz;
    double *vx, *vy, *vz;
    double *ax, *ay, *az;
} bodies_t;

static double **fields(bodies_t *b, double **list)
{
    double **p = list;
    *p++ = b->px; *p++ = b->py; *p++ = b->pz;
    *p++ = b->vx; *p++ = b->vy; *p++ = b->vz;
    return list;
}

static void bodies_init(bodies_t *b, size_t n)
{
    double *block = calloc(10 * n, sizeof *block);
    b->count = n;
    b->mass = block;
    b->px = block + n;     b->py = block + 2 * n; b->pz = block + 3 * n;
    b->vx = block + 4 * n; b->vy = block + 5 * n; b->vz = block + 6 * n;
    b->ax = block + 7 * n; b->ay = block + 8 * n; b->az = block + 9 * n;
}

static void accelerate(bodies_t *b)
{
    memset(b->ax, 0, b->count * sizeof(double));
    memset(b->ay, 0, b->count * sizeof(double));
    memset(b->az, 0, b->count * sizeof(double));
    for (size_t i = 0; i < b->count; i++)
        for (size_t j = i + 1; j < b->count; j++) {
            const double dx = b->px[j] - b->px[i], dy = b->py[j] - b->py[i], dz = b->pz[j] - b->pz[i];
            const double r2 = dx * dx + dy * dy + dz * dz + SOFT2;
            const double inv = G / (r2 * sqrt(r2));
            b->ax[i] += b->mass[j] * inv * dx;
            b->ay[i] += b->mass[j] * inv * dy;
            b->az[i] += b->mass[j] * inv * dz;
            b->ax[j] -= b->mass[i] * inv * dx;
            b->ay[j] -= b->mass[i] * inv * dy;
            b->az[j] -= b->mass[i] * inv * dz;
        }
}

static void step(bodies_t *b, double dt)
{
    for (size_t i = 0; i < b->count; i++) {
        b->px[i] += dt * (b->vx[i] += 0.5 * dt * b->ax[i]);
        b->py[i] += dt * (b->vy[i] += 0.5 * dt * b->ay[i]);
        b->pz[i] += dt * (b->vz[i] += 0.5 * dt * b->az[i]);
    }
    accelerate(b);
    for (size_t i = 0; i < b->count; i++) {
        b->vx[i] += 0.5 * dt * b->ax[i];
        b->vy[i] += 0.5 * dt * b->ay[i];
        b->vz[i] += 0.5 * dt * b->az[i];
    }
}

static double energy(const bodies_t *b)
{
    double e = 0;
    for (size_t i = 0; i < b->count; i++) {
        e += 0.5 * b->mass[i] * (b->vx[i] * b->vx[i] + b->vy[i] * b->vy[i] + b->vz[i] * b->vz[i]);
        for (size_t j = 0; j < i; j++)
            e -= G * b->mass[i] * b->mass[j] / sqrt(pow(b->px[i] - b->px[j], 2) + pow(b->py[i] - b->py[j], 2) + pow(b->pz[i] - b->pz[j], 2) + SOFT2);
    }
    return e;
}

double simulate(size_t n, const double *mass, const double *state, double dt, unsigned steps)
{
    bodies_t b;
    bodies_init(&b, n);
    memcpy(b.mass, mass, n * sizeof *mass);
    double *list[6];
    fields(&b, list);
    for (size_t k = 0; k < 6; k++)
        for (size_t i = 0; i < n; i++)
            list[k][i] = state[6 * i + k];
    accelerate(&b);
    while (steps-- > 0)
        step(&b, dt);
    double e = energy(&b) + b.px[0];
    free(b.mass);
    return e;
}
