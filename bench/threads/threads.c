/* Two threads with a tape each against one: the same number of gradients, half of them in each thread or all in one.
 *
 *     threads ROUNDS
 *
 * Prints for each kernel the least wall time of both of all rounds, their ratio, and the ratio of processor time, which is 1
 * if the threads do not wait for each other. */
#define _POSIX_C_SOURCE 200809L
#include BURGERS
#include MIXTURE
#include NEWTON

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { CALLS = 2, CELLS = 1000, STEPS = 300, POINTS = 4000, D = 8, M = 5, ROOTS = 20000 };

/* What one thread has: its tape and its own arrays. */
struct worker {
    struct cfgrev_tape tape;
    void (*gradient)(struct worker *);
    int calls;
    int failed;
    double c_b, b_b;
    double u_b[CELLS], a_b[ROOTS], alpha_b[M], mu_b[M * D], q_b[M * D], l_b[M * D * D], x_b[POINTS * D];
};

static double u[CELLS], a[ROOTS], alpha[M], mu[M * D], q[M * D], l[M * D * D], x[POINTS * D];

static void burgers_of(struct worker *w)
{
    double value = 0.0;
    w->failed |= burgers_grad(CELLS, STEPS, 0.1, &w->c_b, u, w->u_b, &value, 1.0, &w->tape);
}

static void newton_of(struct worker *w)
{
    double value = 0.0;
    w->failed |= newton_grad(ROOTS, a, w->a_b, 7.0, &w->b_b, &value, 1.0, &w->tape);
}

static void mixture_of(struct worker *w)
{
    double value = 0.0;
    w->failed |= mixture_grad(POINTS, D, M, alpha, w->alpha_b, mu, w->mu_b, q, w->q_b, l, w->l_b, x, w->x_b, &value, 1.0,
                              &w->tape);
}

static void *work(void *at)
{
    struct worker *w = at;
    int k;
    for (k = 0; k < w->calls; k++)
        w->gradient(w);
    return NULL;
}

static double clock_of(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Wall and processor time of all calls in so many threads. */
static void timed(struct worker *workers, int threads, double *wall, double *cpu)
{
    pthread_t ids[2];
    double w = clock_of(CLOCK_MONOTONIC), c = clock_of(CLOCK_PROCESS_CPUTIME_ID);
    int k;
    for (k = 0; k < threads; k++) {
        workers[k].calls = CALLS / threads;
        if (pthread_create(&ids[k], NULL, work, &workers[k]) != 0)
            exit(2);
    }
    for (k = 0; k < threads; k++)
        pthread_join(ids[k], NULL);
    w = clock_of(CLOCK_MONOTONIC) - w;
    c = clock_of(CLOCK_PROCESS_CPUTIME_ID) - c;
    if (w < *wall)
        *wall = w;
    if (c < *cpu)
        *cpu = c;
}

static int compare(const char *name, void (*gradient)(struct worker *), struct worker *workers, int rounds)
{
    double wall[3] = {1e9, 1e9, 1e9}, cpu[3] = {1e9, 1e9, 1e9};
    int k, threads;
    for (k = 0; k < 2; k++) {
        workers[k].gradient = gradient;
        gradient(&workers[k]);
    }
    for (k = 0; k < rounds; k++)
        for (threads = 1; threads <= 2; threads++)
            timed(workers, threads, &wall[threads], &cpu[threads]);
    printf("| %s | %.2f | %.2f | %.2f | %.2f |\n", name, 1e3 * wall[1], 1e3 * wall[2], wall[1] / wall[2],
           cpu[2] / cpu[1]);
    return workers[0].failed | workers[1].failed;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 500, k, failed;
    struct worker *workers = calloc(2, sizeof *workers);
    unsigned long s = 1;
    if (workers == NULL)
        return 2;
#define FILL(ARRAY, LOW, HIGH)                                                      \
    for (k = 0; k < (int)(sizeof ARRAY / sizeof *ARRAY); k++) {                     \
        s = (s * 1103515245ul + 12345ul) & 0x7ffffffful;                            \
        ARRAY[k] = (LOW) + ((HIGH) - (LOW)) * ((double)s / (double)0x7fffffff);     \
    }
    FILL(u, -1.0, 1.0)
    FILL(a, 0.05, 10.0)
    FILL(alpha, -0.5, 0.5)
    FILL(mu, -2.0, 2.0)
    FILL(q, -0.2, 0.6)
    FILL(l, -0.4, 0.4)
    FILL(x, -2.0, 2.0)
    printf("| kernel | one thread, ms | two threads, ms | times as fast | processor time, two / one |\n|---|---|---|---|---|\n");
    failed = compare("burgers", burgers_of, workers, rounds);
    failed |= compare("mixture", mixture_of, workers, rounds);
    failed |= compare("newton", newton_of, workers, rounds);
    for (k = 0; k < 2; k++)
        cfgrev_tape_free(&workers[k].tape);
    free(workers);
    return failed;
}
