//@ dot {"a":{"array":[1,2,3]},"b":{"array":[4,5,6]}}
//@ named {"e":[{"yaw":0.5,"pitch":0.25}]}
//@ without_names {"p":[{"v":[1.5,2.5,0.5],"w":2}],"n":1}
//@ matrices {"m":[{"raw":[[1,2],[3,4]]}],"i":1}
//@ colours {"x":0.5,"y":1.5}
//@ started {"x":1.5,"k":2}
//@ shorter {"x":[1.5,0.5,2.5]}
//@ not_named {"p":[1,2,3]}
//@ walked {"s":[{"id":3,"u":{"v":[1,2,3]}},{"id":4,"u":{"v":[4,5,6]}}],"n":2}
/* Unions of arrays and of structures that name their elements. */
#include <math.h>
#include <string.h>

typedef union { float array[3]; struct { float x, y, z; } axis; } vec;
static vec scale(vec v, float s)
{
    vec r = {.axis = {v.axis.x * s, v.axis.y * s, v.axis.z * s}};
    return r;
}
float dot(vec a, vec b)
{
    vec c = scale(a, 1.0f);
    return c.array[0] * b.axis.x + c.axis.y * b.array[1] + c.array[2] * b.array[2];
}

typedef struct euler { union { float yaw, psi; }; union { float pitch, theta; }; } euler;
float named(const euler *e) { return e->yaw * e->pitch + e->psi; }

struct point { union { double v[3]; struct { double x, y, z; }; struct { double r; union { double g, green; }; double b; }; }; double w; };
double without_names(struct point *p, int n)
{
    double s = 0.0;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++)
            s += p[i].v[k] * p[i].w;
        p[i].y *= s + p[i].r;
        p[i].z += p[i].green;
        p->b -= 0.5 * p->g;
    }
    return s + p->v[1] * p->v[2];
}

typedef union { double raw[2]; struct { double x, y; }; } vec2;
typedef union { double raw[2][2]; struct { double m00, m01, m10, m11; }; vec2 col[2]; } mat2;
static double determinant(double m[2][2]) { return m[0][0] * m[1][1] - m[0][1] * m[1][0]; }
double matrices(mat2 *m, int i)
{
    m->m01 *= m->col[i].x;
    m->col[1 - i].y += m->m10 * m->col[1].x;
    return determinant(m->raw) + m->col[i].raw[0] * sizeof m->col;
}

union colour { struct { double r, g, b; } rgb; struct { double x, y, z; } xyz; };
double colours(double x, double y)
{
    union colour c = {{x, y}}, d;
    c.xyz.z = c.rgb.r * c.xyz.y;
    d = c;
    return d.rgb.b * d.xyz.x + sizeof(c.xyz);
}

double started(double x, int k)
{
    static const union { double v[4]; struct { double a, b, c, d; } of; } table = {.of = {.b = 2, .d = 4}, .v[2] = 0.5};
    vec2 p = {.y = x, .raw[0] = 2 * x}, q = (vec2){{x}};
    return table.v[k] * p.x + table.of.b * p.raw[1] + q.x;
}

union quad { double v[4]; struct { double x, y; } first; };
double shorter(const double *x)
{
    union quad q;
    memcpy(q.v, x, 3 * sizeof *x);
    q.v[3] = q.first.y * q.first.x;
    double *p = &q.first.x;
    return p[3] + q.v[2];
}

struct tagged { short id; union { float v[3]; struct { float x, y, z; } c; } u; };
double walked(struct tagged *s, int n)
{
    double sum = 0;
    for (struct tagged *end = s + n; s < end; s++)
        for (int i = 0; i < 3; i++)
            sum += s->u.c.x * s->u.v[i] * s->id;
    return sum;
}

typedef union { struct { double x, y, z; }; double v[3]; } vec3;
double not_named(const double *p)
{
    vec3 a = {{p[0], p[1], p[2]}}, b = {.y = p[1]};
    double s = b.v[1];
    for (int i = 0; i < 3; i++)
        s += a.v[i] * a.v[i];
    return s + a.x * a.z;
}
