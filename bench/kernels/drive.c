/* Runs one kernel at a point.
 *
 *     NAME POINT check             value and gradient, as JSON
 *     NAME POINT time N [json]     N interleaved samples of primal and gradient: processor time of one call
 *
 * A sample is one call, or as many as take about two milliseconds. */
#define _POSIX_C_SOURCE 200112L
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void fail(const char *what, const char *which)
{
    fprintf(stderr, "%s: %s\n", what, which);
    exit(2);
}

double *allocate(size_t size)
{
    double *at = calloc(size > 0 ? size : 1, sizeof *at);
    if (at == NULL)
        fail("out of memory", kernel.name);
    return at;
}

/* ---- points: an object of numbers and arrays of numbers, arrays of any depth ---- */

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t size = 0, room = 0;
    if (file == NULL)
        fail("cannot open", path);
    do {
        if (size + 1 >= room) {
            room = room > 0 ? 2 * room : 1 << 16;
            text = realloc(text, room);
            if (text == NULL)
                fail("out of memory", path);
        }
        size += fread(text + size, 1, room - size - 1, file);
    } while (!feof(file) && !ferror(file));
    fclose(file);
    text[size] = '\0';
    return text;
}

static const char *read_values(const char *at, struct entry *entry, const char *path)
{
    size_t room = 0;
    int depth = 0;
    do {
        at += strspn(at, " \t\r\n,");
        if (*at == '[') {
            depth++;
            at++;
        } else if (*at == ']') {
            depth--;
            at++;
        } else {
            char *end;
            double value = strtod(at, &end);
            if (end == at)
                fail("number expected", path);
            if (entry->size == room) {
                room = room > 0 ? 2 * room : 16;
                entry->values = realloc(entry->values, room * sizeof *entry->values);
                if (entry->values == NULL)
                    fail("out of memory", path);
            }
            entry->values[entry->size++] = value;
            at = end;
        }
    } while (depth > 0);
    return at;
}

static void read_point(const char *path, struct point *point)
{
    char *text = read_text(path);
    const char *at = text;
    while ((at = strchr(at, '"')) != NULL) {
        const char *end = strchr(at + 1, '"');
        struct entry *entry = &point->entries[point->size];
        if (end == NULL || point->size == (int)(sizeof point->entries / sizeof point->entries[0])
            || (size_t)(end - at) > sizeof entry->name)
            fail("not a point", path);
        memset(entry, 0, sizeof *entry);
        memcpy(entry->name, at + 1, (size_t)(end - at - 1));
        at = end + 1 + strspn(end + 1, " \t\r\n:");
        at = read_values(at, entry, path);
        point->size++;
    }
    free(text);
}

double *point_array(const struct point *point, const char *name)
{
    int i;
    for (i = 0; i < point->size; i++)
        if (strcmp(point->entries[i].name, name) == 0)
            return point->entries[i].values;
    fail("not in the point", name);
    return NULL;
}

double point_real(const struct point *point, const char *name)
{
    return point_array(point, name)[0];
}

int point_integer(const struct point *point, const char *name)
{
    return (int)point_array(point, name)[0];
}

/* ---- results ---- */

#define RESULTS ((int)(sizeof kernel.results / sizeof kernel.results[0]))

double *add_result(const char *name, size_t size)
{
    int i = 0;
    while (i < RESULTS && kernel.results[i].name != NULL)
        i++;
    if (i == RESULTS)
        fail("too many independents", name);
    kernel.results[i].name = name;
    kernel.results[i].size = size;
    kernel.results[i].gradient = allocate(size);
    return kernel.results[i].gradient;
}

static void zero_results(void)
{
    int i;
    for (i = 0; i < RESULTS && kernel.results[i].name != NULL; i++)
        memset(kernel.results[i].gradient, 0, kernel.results[i].size * sizeof(double));
}

/* The second of two gradients is printed, so that what is kept between calls is seen to do no harm. */
static void check(double (*gradient)(void))
{
    double value;
    int i;
    (void)gradient();
    zero_results();
    value = gradient();
    printf("{\"kernel\":\"%s\",\"primal\":%.17g,\"value\":%.17g,\"gradient\":{", kernel.name, kernel.primal(), value);
    for (i = 0; i < RESULTS && kernel.results[i].name != NULL; i++) {
        size_t j;
        printf("%s\"%s\":[", i > 0 ? "," : "", kernel.results[i].name);
        for (j = 0; j < kernel.results[i].size; j++)
            printf("%s%.17g", j > 0 ? "," : "", kernel.results[i].gradient[j]);
        printf("]");
    }
    printf("}}\n");
}

/* ---- times ---- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static volatile double sink;

static double sample(double (*f)(void), int calls)
{
    double start = now();
    int i;
    for (i = 0; i < calls; i++)
        sink = f();
    return (now() - start) / calls;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_times(const char *name, const double *sorted, int n, int json)
{
    double q[4];
    q[0] = sorted[0];
    q[1] = sorted[n / 4];
    q[2] = sorted[n / 2];
    q[3] = sorted[3 * n / 4];
    if (json)
        printf("\"%s\":{\"min\":%.9g,\"q1\":%.9g,\"median\":%.9g,\"q3\":%.9g}", name, q[0], q[1], q[2], q[3]);
    else
        printf("%-10s %-9s %10.4f %10.4f %10.4f %10.4f\n", kernel.name, name, 1e3 * q[0], 1e3 * q[1], 1e3 * q[2],
               1e3 * q[3]);
}

static void time_both(int n, int json)
{
    double *primal = allocate((size_t)n), *gradient = allocate((size_t)n), *emitted = allocate((size_t)n);
    double once;
    int i, calls;
    sample(kernel.primal, 1);
    sample(kernel.gradient, 1);
    if (kernel.emitted)
        sample(kernel.emitted, 1);
    once = sample(kernel.primal, 1);
    calls = once < 1e-3 ? (int)ceil(2e-3 / (once + 1e-7)) : 1;
    for (i = 0; i < n; i++) {
        primal[i] = sample(kernel.primal, calls);
        gradient[i] = sample(kernel.gradient, calls);
        if (kernel.emitted)
            emitted[i] = sample(kernel.emitted, calls);
    }
    qsort(primal, (size_t)n, sizeof *primal, ascending);
    qsort(gradient, (size_t)n, sizeof *gradient, ascending);
    qsort(emitted, (size_t)n, sizeof *emitted, ascending);
    if (json) {
        printf("{\"kernel\":\"%s\",\"samples\":%d,\"calls\":%d,\"unit\":\"s\",", kernel.name, n, calls);
        print_times("primal", primal, n, 1);
        printf(",");
        print_times("gradient", gradient, n, 1);
        if (kernel.emitted) {
            printf(",");
            print_times("emitted", emitted, n, 1);
            printf(",\"emitted ratio\":%.5g", emitted[0] / primal[0]);
        }
        printf(",\"ratio\":%.5g}\n", gradient[0] / primal[0]);
    } else {
        printf("%-10s %-9s %10s %10s %10s %10s   (ms)\n", "", "", "min", "q1", "median", "q3");
        print_times("primal", primal, n, 0);
        print_times("gradient", gradient, n, 0);
        printf("%-10s %-9s %10.3f\n", kernel.name, "ratio", gradient[0] / primal[0]);
        if (kernel.emitted) {
            print_times("emitted", emitted, n, 0);
            printf("%-10s %-9s %10.3f\n", kernel.name, "ratio", emitted[0] / primal[0]);
        }
    }
    free(primal);
    free(gradient);
    free(emitted);
}

int main(int argc, char **argv)
{
    struct point point = {0};
    int n = argc >= 4 ? atoi(argv[3]) : 0;
    int checking = argc == 3 && strcmp(argv[2], "check") == 0;
    int emitted = argc == 3 && strcmp(argv[2], "check-emitted") == 0;
    if (!checking && !emitted && (argc < 4 || strcmp(argv[2], "time") != 0 || n < 1)) {
        fprintf(stderr, "usage: %s POINT check | %s POINT check-emitted | %s POINT time N [json]\n", argv[0], argv[0],
                argv[0]);
        return 2;
    }
    read_point(argv[1], &point);
    kernel.bind(&point);
    if (checking)
        check(kernel.gradient);
    else if (emitted && kernel.emitted)
        check(kernel.emitted);
    else if (emitted)
        fail("built without what cfgrev emits", kernel.name);
    else
        time_both(n, argc >= 5);
    return 0;
}
