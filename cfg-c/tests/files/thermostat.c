//@ comfort {"n":6,"outside":[5,6,7,8,9,30],"t0":17,"set":21}
/* A thermostat as a state machine, with goto in the error path and a switch. */
#include <stdio.h>
#include <math.h>
enum state { IDLE, HEATING, COOLING, FAULT, N_STATES };
static const char *const names[N_STATES] = { "idle", "heating", "cooling", "fault" };
struct config { double set, band, power, leak; };
static struct config defaults = { 20.0, 0.5, 3.0, 0.1 };

double comfort(int n, const double *outside, double t0, double set)
{
    struct config c = defaults;
    enum state s = IDLE;
    double t = t0, cost = 0;
    int i = 0, transitions = 0;
    c.set = set;
again:
    if (i >= n)
        goto out;
    switch (s) {
    case IDLE:
        if (t < c.set - c.band) { s = HEATING; transitions++; }
        else if (t > c.set + c.band) { s = COOLING; transitions++; }
        break;
    case HEATING:
        t += c.power;
        cost += c.power;
        if (t > c.set) s = IDLE;
        break;
    case COOLING:
        t -= c.power;
        cost += 0.5 * c.power;
        if (t < c.set) s = IDLE;
        break;
    default:
        goto fail;
    }
    t += c.leak * (outside[i] - t);
    cost += (t - c.set) * (t - c.set);
    i++;
    if (fabs(t) > 1e3)
        s = FAULT;
    goto again;
fail:
    fprintf(stderr, "fault in state %s\n", names[s]);
    return -1.0;
out:
    fprintf(stderr, "%d transitions, ended %s\n", transitions, names[s]);
    return cost;
}
