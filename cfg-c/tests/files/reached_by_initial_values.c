//@ chain {"v":1.5}
//@ circle {"v":0.5,"n":7}
//@ table {"v":0.75}
//@ elements {"v":1.25}
//@ in_blocks {"v":0.8}
/* What only initial values name, to any depth: structures, elements, members, functions, and in circles. */
#include <math.h>
#include <stddef.h>
struct node { int key; struct node *next; double value; };
static struct node last = {3, NULL, 0.5}, pair[2] = {{4, &last, 1.5}, {5, pair, 2.5}};
static struct node middle = {2, pair + 1, 3.5};
static struct node *front = &middle;

double chain(double v)
{
    double s = 0;
    for (struct node *p = front; p; p = p->next)
        s = s * v + p->key * p->value * v;
    return s;
}

static struct node one, two = {.key = 7, .value = 0.25, .next = &one}, one = {6, &two, 0.75};
static struct node *const starts[] = {&two};

double circle(double v, int n)
{
    double s = 0;
    struct node *p = starts[0];
    for (int i = 0; i < n; i++, p = p->next) {
        s = s * v + p->key * p->value;
        p->value *= v;
    }
    return s + one.value;
}

struct entry { double (*fn)(double, void *); void *data; };
struct scale { double by[2]; };
static double scaled(double x, void *data)
{
    struct scale *s = data;
    return x * s->by[0] + s->by[1];
}
static double bent(double x, void *data)
{
    struct scale *s = data;
    return exp(x * s->by[1]);
}
static struct scale steep = {{3, 4}}, flat = {.by[1] = 0.5};
static const struct entry entries[] = {{scaled, &steep}, {.data = &flat, .fn = bent}, {bent, &steep}};

double table(double v)
{
    double s = 0;
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        s += entries[i].fn(v + s, entries[i].data);
    return s;
}

static double row[4] = {1, 2, [3] = 4};
static struct { double first; double rest[3]; } members = {5, {6, 7}};
static double *places[] = {&row[3], row + 1, &members.rest[1], &members.first, members.rest, NULL};

double elements(double v)
{
    double s = 0;
    for (int i = 0; places[i]; i++) {
        s += *places[i] * v * (i + 1);
        *places[i] += v;
    }
    return s + row[3] * members.rest[1] + row[0] + members.first;
}

double in_blocks(double v)
{
    static struct node inner = {1, NULL, 4}, outer = {2, &inner, 5}, *head = &outer;
    double s = 0;
    for (struct node *p = head; p; p = p->next)
        s += p->key * p->value * v;
    return s + head->next->value * v;
}
