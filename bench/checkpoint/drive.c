/* The gradient of the energy after some steps: processor time and time of it and of the function, peak memory, a sum
   over the gradient, and the bytes that the process has written and read (on Linux). */
#define _POSIX_C_SOURCE 200809L
#include ADJOINT
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
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

static long long moved(const char *what)
{
    char name[32];
    long long bytes, found = 0;
    FILE *io = fopen("/proc/self/io", "r");
    while (io && fscanf(io, "%31[a-z_]: %lld ", name, &bytes) == 2)
        if (!strcmp(name, what)) found = bytes;
    if (io) fclose(io);
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
    struct rusage used;
    start();
    double t0 = now(CLOCK_PROCESS_CPUTIME_ID), w0 = now(CLOCK_MONOTONIC);
    double energy_value = energy(steps, 0.05, h, p, q);
    double t1 = now(CLOCK_PROCESS_CPUTIME_ID), w1 = now(CLOCK_MONOTONIC);
    start();
    int status = energy_grad(steps, 0.05, &dt_b, &h[0][0], &h_b[0][0], &p[0][0], &p_b[0][0], &q[0][0], &q_b[0][0],
                             &value, 1.0, 0);
    double t2 = now(CLOCK_PROCESS_CPUTIME_ID), w2 = now(CLOCK_MONOTONIC);
    getrusage(RUSAGE_SELF, &used);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) sum += (i + 1) * (j + 2) * (h_b[i][j] + 2.0 * p_b[i][j] - q_b[i][j]);
    printf("%d %.17g %.17g %.4f %.4f %ld %lld %lld %.4f %.4f\n", status, energy_value - value, sum, t1 - t0, t2 - t1,
           used.ru_maxrss, moved("wchar"), moved("rchar"), w1 - w0, w2 - w1);
    return status;
}
