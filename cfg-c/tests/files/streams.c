//@ logged {"x":-0.5}
//@ logged {"x":-2}
//@ logged {"x":3}
//@ dumped {"x":2}
//@ dumped {"x":4}
/* Streams and texts that are only printed, of which it is asked whether they are there. */
#include <stdio.h>
static FILE *stream = NULL;
static const char *last;
static void message(const char *label, const char *reason)
{
    if (stream == NULL)
        stream = stderr;
    if (reason)
        fprintf(stream, "%s: %s\n", label, reason);
    last = reason;
}

double logged(double x)
{
    if (x < 0) {
        message("domain error", x < -1 ? "far" : NULL);
        stream = 0;
        return last != NULL ? 2 * x : 3 * x;
    }
    return stream ? 5 * x : x * x;
}

static void dump(FILE *out, double x)
{
    if (!out)
        return;
    fprintf(out, "%g\n", x);
}

double dumped(double x)
{
    FILE *out = x > 3 ? stderr : NULL;
    dump(out, x);
    dump(stderr, x);
    const char *names[2] = {"small"};
    double s = 0;
    for (int i = 0; i < 2; i++)
        s += names[i] ? x * x : x;
    return out && s > 4 ? s + x : s;
}
