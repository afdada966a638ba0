/* The gradient of the energy after some steps: processor time and time of it and of the function, peak memory, a sum
   over the gradient, and the bytes that the process has written and read (on Linux). The second argument names a file
   for the gradient. */
#define _POSIX_C_SOURCE 200809L
#include ADJOINT
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define N 64

double energy(int steps, double dt, double h[N][N], double p[N][N], double q[N][N]);

static double h[N][N], p[N][N], q[N][N], h_b[N][N], p_b[N][N], q_b[N][N];

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A number of a file of the process. The peak of getrusage is that of the process that started this one, too. */
static long long told(const char *path, const char *what)
{
    char line[256];
    long long found = 0;
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, what, strlen(what))) found = strtoll(line + strlen(what), NULL, 10);
    if (file) fclose(file);
    return found;
}

static void start(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            h[i][j] = 1.0 + 0.1 * exp(-0.01 * ((i - 30) * (i - 30) + (j - 20) * (j - 20)));
            p[i][j] = q[i][j] = h_b[i][j] = p_b[i][j] = q_b[i][j] = 0.0;
        }
}

int main(int count, char **words)
{
    int steps = count > 1 ? atoi(words[1]) : 1000;
    double dt_b = 0.0, value, sum = 0.0;
    start();
    double t0 = now(CLOCK_PROCESS_CPUTIME_ID), w0 = now(CLOCK_MONOTONIC);
    double energy_value = energy(steps, 0.05, h, p, q);
    double t1 = now(CLOCK_PROCESS_CPUTIME_ID), w1 = now(CLOCK_MONOTONIC);
    start();
    int status = energy_grad(steps, 0.05, &dt_b, &h[0][0], &h_b[0][0], &p[0][0], &p_b[0][0], &q[0][0], &q_b[0][0],
                             &value, 1.0, 0);
    double t2 = now(CLOCK_PROCESS_CPUTIME_ID), w2 = now(CLOCK_MONOTONIC);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) sum += (i + 1) * (j + 2) * (h_b[i][j] + 2.0 * p_b[i][j] - q_b[i][j]);
    FILE *file = count > 2 ? fopen(words[2], "wb") : NULL;
    if (file) {
        fwrite(h_b, sizeof h_b, 1, file);
        fwrite(p_b, sizeof p_b, 1, file);
        fwrite(q_b, sizeof q_b, 1, file);
        fclose(file);
    }
    printf("%d %.17g %.17g %.4f %.4f %lld %lld %lld %.4f %.4f\n", status, energy_value - value, sum, t1 - t0, t2 - t1,
           told("/proc/self/status", "VmHWM:"), told("/proc/self/io", "wchar:"), told("/proc/self/io", "rchar:"),
           w1 - w0, w2 - w1);
    return status;
}
