//@ guarded {"x":1.5}
//@ guarded {"x":-1.5}
//@ measured {"x":1.5}
//@ measured {"x":-1.5}
//@ in_members {"x":1.5}
//@ in_members {"x":-1.5}
//@ numbered {"x":2.5,"c":[65,66,67]}
//@ kept {"x":2.5,"n":3}
/* Messages that are written into buffers and that nothing reads: for the caller, for printing, in structures. Characters that are
   read, and what is written into these, are numbers. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
static void protect(char *to, const char *format, ...)
{
    va_list rest;
    va_start(rest, format);
    vsnprintf(to, 2048, format, rest);
    va_end(rest);
}
static int root(double x, double *y, char *message)
{
    char text[100], *end = text;
    message[0] = 0;
    if (x < 0) {
        protect(message, "%s: negative %g", __func__, x);
        return 1;
    }
    if (x > 1e9) {
        snprintf(message, 100, "large");
        sprintf(text, "%g", x);
        end = text + 1;
        strcat(end, "!");
        printf("%s\n", text);
        return 1;
    }
    *y = x * x;
    return 0;
}
static double told(double x, char *message)
{
    double y = 0;
    if (root(x, &y, message))
        return -1 * x;
    return y;
}
double guarded(double x)
{
    char message[2048];
    return told(x, message);
}
struct solver { double x, y; char message[80]; int failed; };
static void solve(struct solver *s)
{
    char where[20];
    strcpy(where, "solve");
    if (s->x < 0) {
        snprintf(s->message, sizeof s->message, "%s: %g", where, s->x);
        s->failed = sizeof s->message;
        return;
    }
    s->y = s->x * s->x * s->x;
}
double in_members(double x)
{
    struct solver s = {x, 1, "", 0};
    solve(&s);
    if (s.failed)
        fprintf(stderr, "%s\n", s.message);
    return s.y * x + s.failed;
}
double numbered(double x, const char *c)
{
    char d[3], text[9];
    for (int i = 0; i < 3; i++)
        d[i] = c[i] + i;
    sprintf(text, "%c", d[2]);
    text[1] = d[1];
    return x * d[2];
}
static void fill(char *to, int n)
{
    for (int i = 0; i < n; i++)
        to[i] = i;
}
double kept(double x, int n)
{
    char d[8], e[8];
    fill(d, n);
    fill(e, n);
    memset(e, 0, 1);
    return x * d[n - 1] * (e[0] + e[1]);
}

#define EXPLAIN(to, ...) do { \
    int size = snprintf(NULL, 0, __VA_ARGS__); \
    snprintf(to, size + 1, __VA_ARGS__); \
} while (0)

static int checked(double x, double *y, char *message)
{
    unsigned long used;
    if (x < 0) {
        EXPLAIN(message, "%s: negative %g", __func__, x);
        used = snprintf(message, 2048, "negative");
        snprintf(message + used, 2048 - used, " %g", x);
        return 1;
    }
    *y = x * x;
    return 0;
}

double measured(double x)
{
    char message[2048];
    double y = -1;
    return checked(x, &y, message) ? x * y : y;
}
