//@ characters {"x":0.7}
//@ quotients {"x":57.3,"y":0.7}
//@ generic {"x":0.7,"y":1.9}
//@ failing {"x":0.7,"y":1.9}
//@ timed {"x":2}
//@ stacked {"x":0.7,"y":1.9}
//@ guarded {"x":0.7}
/* Functions of all headers of the standard library. */
#include <alloca.h>
#include <ctype.h>
#include <errno.h>
#include <iso646.h>
#include <locale.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <tgmath.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
static jmp_buf point;
static void jump(int number) { longjmp(point, number); }

int main_of_another_program(void)
{
    signal(SIGFPE, jump);
    return setjmp(point);
}

double characters(double x)
{
    const char s[] = "a1 B!\t_";
    double t = 0;
    for (int i = 0; s[i]; i++) {
        if (isdigit(s[i]))
            t += (s[i] - '0') * x;
        else if (isalpha(s[i]) and not isupper(s[i]))
            t += toupper(s[i]) * x * x;
        else
            t -= isspace(s[i]) ? x : ispunct(s[i]) ? 3 * x : tolower(s[i]);
    }
    wchar_t c = L'\x263a';
    if (t > 1e9)
        wprintf(L"%g\n" L"%d\n", t, (int)c);
    return t + (c & 15);
}

double quotients(double x, double y)
{
    div_t d = div(17, 5);
    ldiv_t e = ldiv(-17L, 5L);
    int n = 0;
    double r = remquo(x, y, &n);
    return d.quot * x + d.rem * y + e.quot + e.rem + r * n;
}

double generic(double x, double y)
{
    float z = (float)x;
    return sqrt(z) + sin(x) * pow(z, 2.0f) + fabs(y) + pow(2, x) + fmin(z, y) + (double)ldexp(z, 3);
}

static double root(double x)
{
    if (x < 0) {
        errno = EDOM;
        return 0;
    }
    return sqrt(x);
}

double failing(double x, double y)
{
    errno = 0;
    double s = root(x);
    s += root(-y);
    if (errno == EDOM) {
        const char *why = strerror(errno);
        fprintf(stderr, "%s at %s:%d\n", why, __FILE__ ", here", __LINE__);
        s += x;
    }
    errno = 0;
    return s * x;
}

double timed(double x)
{
    struct timeval from, to;
    clock_t start = clock();
    time_t now = time(NULL);
    gettimeofday(&from, NULL);
    bool positive = x > 0;
    double y = positive ? x * x : -x;
    gettimeofday(&to, NULL);
    fprintf(stderr, "%g %g\n", (double)(clock() - start) / CLOCKS_PER_SEC, to.tv_sec - from.tv_sec + 1e-6 * (to.tv_usec - from.tv_usec));
    (void)now;
    setlocale(LC_ALL, "C");
    return y;
}

double stacked(double x, double y)
{
    double *p = alloca(2 * sizeof *p);
    p[0] = x * y;
    p[1] = p[0] - x;
    return p[0] * p[1] + nan("") * 0 == 0 ? 1 : p[0] * p[1];
}

struct guard {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t owner;
    pthread_rwlock_t table;
    pthread_spinlock_t counter;
    double value;
};

static struct guard guard = {.lock = PTHREAD_MUTEX_INITIALIZER, .table = PTHREAD_RWLOCK_INITIALIZER, .value = 2};

double guarded(double x)
{
    if (pthread_mutex_lock(&guard.lock) != 0)
        return 0;
    guard.value *= x;
    double y = guard.value + sizeof(struct guard) + (getpid() < 0);
    pthread_mutex_unlock(&guard.lock);
    if (pthread_rwlock_rdlock(&guard.table) || pthread_rwlock_unlock(&guard.table) || pthread_rwlock_wrlock(&guard.table))
        return 1;
    pthread_rwlock_unlock(&guard.table);
    if (pthread_spin_init(&guard.counter, 0) || pthread_spin_lock(&guard.counter))
        return 2;
    y += (pthread_spin_unlock(&guard.counter) + F_OK + R_OK + 2 * W_OK + 3 * X_OK) * x;
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\033[1m%g\033[0m\n", y);
    else
        fprintf(stderr, "%g\n", y);
    return y;
}
