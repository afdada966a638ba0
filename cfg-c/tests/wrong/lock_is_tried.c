/* Whether a lock is held decides. */
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
double f(double x)
{
    pthread_mutex_lock(&lock);
    return pthread_mutex_trylock(&lock) ? 3 * x : 5 * x;
}
