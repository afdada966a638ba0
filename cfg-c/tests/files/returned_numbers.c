//@ shifted {"p": {"x": 1.0, "v": 2.0, "world": [{"t": 0.5}], "name": null}, "by": 0.25}
//@ flown {"p": {"x": 1.0, "v": 2.0, "world": null, "name": null}, "h": 0.25}
/* Structures that are returned by value, of which pointers are copied, or null. */
#include <stddef.h>
struct world { double t; };
struct particle { double x, v; struct world *world; const char *name; };
struct particle shifted(struct particle p, double by)
{
    struct particle q = p;
    q.x += by * p.v * p.world->t;
    return q;
}
struct particle flown(struct particle p, double h)
{
    struct particle q = {0};
    double t = 1.0;
    if (p.world != NULL)
        t = p.world->t;
    q.x = p.x + h * p.v * t;
    q.v = p.v * p.v;
    return q;
}
