//@ reach {"n":3,"angle":[0.3,-0.4,0.5],"bone":[{"parent":-1,"offset":{"x":0.0,"y":1.0,"z":0.0}},{"parent":0,"offset":{"x":0.5,"y":0.0,"z":0.25}},{"parent":1,"offset":{"x":0.0,"y":0.75,"z":0.5}}],"target":{"x":1.0,"y":1.5,"z":0.5}}
/* Kinematics of a chain of bones: transformations by value, down to the parents. */
#include <math.h>
typedef struct { double x, y, z; } Vec;
typedef struct { double m[3][3]; Vec t; } Transform;
typedef struct { int parent; Vec offset; } Bone;
static Vec apply(const Transform *f, Vec v)
{
    return (Vec){
        .x = f->m[0][0] * v.x + f->m[0][1] * v.y + f->m[0][2] * v.z + f->t.x,
        .y = f->m[1][0] * v.x + f->m[1][1] * v.y + f->m[1][2] * v.z + f->t.y,
        .z = f->m[2][0] * v.x + f->m[2][1] * v.y + f->m[2][2] * v.z + f->t.z,
    };
}
static Transform turned(double angle, Vec offset)
{
    double c = cos(angle), s = sin(angle);
    Transform r = {{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}, offset};
    return r;
}
static Transform after(const Transform *a, const Transform *b)
{
    Transform r;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            r.m[i][j] = 0;
            for (int k = 0; k < 3; k++) r.m[i][j] += a->m[i][k] * b->m[k][j];
        }
    r.t = apply(a, b->t);
    return r;
}
double reach(int n, const double *angle, const Bone *bone, Vec target)
{
    Transform all[n];
    double s = 0;
    for (int i = 0; i < n; i++) {
        Transform own = turned(angle[i], bone[i].offset);
        all[i] = bone[i].parent < 0 ? own : after(&all[bone[i].parent], &own);
        Vec p = apply(&all[i], (Vec){0.1, 0.2, 0.3});
        double dx = p.x - target.x, dy = p.y - target.y, dz = p.z - target.z;
        s += dx * dx + dy * dy + dz * dz;
    }
    return s;
}
