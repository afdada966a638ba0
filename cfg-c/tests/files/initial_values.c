//@ replaced {"v":1.3}
//@ passes {"v":0.7,"n":4}
//@ levels {"v":0.9}
//@ structures {"v":1.7}
//@ literals {"v":0.6,"n":2}
//@ characters {"v":0.8}
//@ ranges {"v":0.8}
/* Initial values in braces: later ones replace earlier ones, a list all of its part, and whatever none names is 0, in each pass. */
#include <stddef.h>
struct point { double x, y; };
struct edge { struct point from, to; int n; };

double replaced(double v)
{
    double row[3] = {v, 2 * v, 3 * v, [0] = 4 * v};
    double a[2][3] = {{v, v, v}, {1, 2, 3}, [0] = {[2] = 5 * v}, [1][0] = 7, 8 * v};
    struct edge e = {{v, v}, {v, v}, 3, .from = {.y = v * v}, .to.x = 2};
    return row[0] + 2 * row[1] + 3 * row[2] + a[0][0] + a[0][1] * 5 + a[0][2] * a[1][0] + a[1][1] + a[1][2] + e.from.x + e.from.y * e.to.x
        + e.to.y * e.n;
}

double passes(double v, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++) {
        double w[4] = {[2] = v * i, [1] = 3 * v, [1] = v};
        struct edge e = {.to.y = v + i, .n = i, .n = i + 1};
        s += w[0] + 2 * w[1] + 3 * w[2] * w[3] + e.from.x + e.to.x + e.to.y * e.n;
        w[0] = w[3] = v * v + i;
        e.from.x = e.to.x = w[0];
        s += w[0] * e.to.x;
    }
    return s;
}

double levels(double v)
{
    /* Values go on inside of the part that designators lead to, and behind it. */
    struct { struct edge e[2]; double last[2]; } all = {.e[0].to.x = v, 2 * v, 3, 4 * v, 5, .last[0] = 6, 7 * v};
    double cube[2][2][2] = {1, 2, v, [1][0] = {3 * v}, 4, [0][1][1] = 5 * v};
    double pairs[][2] = {{v}, 1, 2, [4] = {[1] = 3 * v}, {{6}, {7}}};
    return all.e[0].to.x * all.e[0].to.y + all.e[0].n * all.e[1].from.x + all.e[1].from.y * v + all.last[0] * all.last[1]
        + cube[0][1][0] * cube[1][0][0] + cube[1][1][0] * cube[0][1][1] + cube[0][0][1]
        + pairs[0][0] * pairs[2][0] + pairs[1][1] + pairs[4][1] * pairs[5][0] + sizeof pairs / sizeof pairs[0];
}

static struct point made(double x)
{
    struct point p = {x, .y = x * x};
    return p;
}

double structures(double v)
{
    struct point p = {v, 2 * v};
    struct edge e = {p, made(v), 4}, f = {.to = p, .from = made(3 * v)}, g = {v, .to = {0}};
    struct edge all[3] = {{p}, [2] = e, [1] = {made(v), .n = {2}}};
    struct edge none[2] = {};
    return e.from.y * e.to.y + f.from.x * f.to.x + f.n + g.from.x + g.to.x + all[0].from.y * all[2].to.y + all[1].from.y * all[1].n
        + all[1].to.x + none[1].to.y;
}

static double length(struct edge e)
{
    double x = e.to.x - e.from.x, y = e.to.y - e.from.y;
    return x * x + y * y * (e.n + 1);
}

static double sum(int n, const double *w)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += (i + 1) * w[i];
    return s;
}

static struct point *kept = &(struct point){.y = 2.5};
static const double *const numbers = (const double[]){0.5, [3] = 1.5, 2.5};

double literals(double v, int n)
{
    double s = sum(4, (double[4]){v, [3] = v * v}) + length((struct edge){.to = made(v), .from.x = 2 * v});
    for (int i = 0; i < n; i++) {
        double *w = (double[3]){[1] = v};
        s += w[0] + w[1] * (int[]){3, 4, 5}[i];
        w[0] = s;
    }
    kept->x += v;
    return s + kept->x * kept->y + numbers[3] * v + numbers[1] + (struct point){.y = v}.y;
}

static char names[][4] = {"ab", {"cd"}, "efgh", [1][1] = 'x', [4] = {'y'}};
static struct { char unit[3]; double factor; } units[] = {"kg", 2, {{'m'}, 3}, {.factor = 4, .unit = "s\n"}};

double characters(double v)
{
    char text[] = "a\0b\x41\101" "7", full[2] = "xy", braced[5] = {"q"};
    double s = sizeof names + sizeof text + 2 * sizeof full;
    for (size_t i = 0; i < sizeof text; i++)
        s += v * text[i] * (i + 1);
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 4; k++)
            s += v * v * names[i][k] * (i + 2 * k);
    for (int i = 0; i < 3; i++)
        s += v * units[i].factor * (units[i].unit[0] + 2 * units[i].unit[1] + 3 * units[i].unit[2]);
    return s + full[1] * v + braced[0] + braced[1];
}

double ranges(double v)
{
    /* gcc: a range of designators gives each element the value. */
    double w[6] = {[0 ... 4] = v, [1 ... 2] = 2 * v, 3, [5] = v * v};
    static const double m[3][2] = {[0 ... 1] = {2, 5}, [1 ... 2][1 ... 1] = 7};
    struct edge e[3] = {[0 ... 2].from = {1, v}, [1 ... 1].to.y = v};
    static const int k[4] = {1, [1 ... 3] = 2 << 1};
    double s = 0;
    for (int i = 0; i < 6; i++)
        s += (i + 1) * w[i];
    for (int i = 0; i < 3; i++)
        s += m[i][0] * (i + 2) + m[i][1] * (i + 4) + e[i].from.y * (i + 1) + e[i].from.x + e[i].to.y * k[i] + k[i + 1] * v;
    return s;
}
