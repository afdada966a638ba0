//@ energy {"n":2,"bodies":[{"at":{"x":1,"y":2,"z":3},"v":{"x":0.5,"y":0.25,"z":1},"mass":2,"w":[1.5,2.5],"kind":1},{"at":{"x":1.5,"y":-2,"z":0.3},"v":{"x":-0.5,"y":0.5,"z":1.25},"mass":1,"w":[0.5,-2.5],"kind":0}],"g":{"x":0.1,"y":0.2,"z":-9.8},"dt":0.125}
#include <math.h>
typedef struct { double x, y, z; } Vec;
typedef struct Body { Vec at, v; double mass; double w[2]; int kind; } Body;
static Vec add(Vec a, Vec b) { Vec r = {a.x + b.x, a.y + b.y, a.z + b.z}; return r; }
static Vec scale(Vec a, double s) { a.x *= s; a.y *= s; a.z *= s; return a; }
static double dot(const Vec *a, const Vec *b) { return a->x * b->x + a->y * b->y + a->z * b->z; }
static void kick(Body *b, double dt) { b->v.x += dt * b->w[0]; b->at = add(b->at, scale(b->v, dt)); }
static void bump(double *p, double by) { *p += by; }
static double total(int n, const double *p) { double s = 0; for (int i = 0; i < n; i++) s += p[i] * p[i]; return s; }
double energy(int n, Body *bodies, Vec g, double dt)
{
    double e = 0;
    Body extra = {.mass = 2.0, .v = {1, 2}, .w = {[1] = dt}};
    for (int i = 0; i < n; i++) {
        Body *b = &bodies[i];
        kick(b, dt);
        bump(&b->mass, 0.5);
        bump(&bodies[i].at.z, dt * b->w[1]);
        e += 0.5 * b->mass * dot(&b->v, &b->v) - dot(&g, &b->at);
        if (b->kind == 1) e += total(2, b->w);
        Vec t = b->kind ? b->at : b->v;
        e += t.y * (Vec){1.0, t.x}.y + (add(t, g)).z;
    }
    extra = bodies[0];
    kick(&extra, 0.5);
    return e + extra.at.x * extra.w[1];
}
