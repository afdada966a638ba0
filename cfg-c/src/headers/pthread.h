#pragma once
#include <sys/types.h>
/* One thread computes everything: it waits for nobody. Sizes are those of Linux on x86-64. */
typedef unsigned long pthread_t; typedef unsigned pthread_key_t; typedef int pthread_once_t; typedef int pthread_spinlock_t;
typedef struct { long words[5]; } pthread_mutex_t; typedef struct { long words[6]; } pthread_cond_t;
typedef struct { long words[7]; } pthread_attr_t; typedef struct { long words[7]; } pthread_rwlock_t; typedef struct { long words[4]; } pthread_barrier_t;
typedef struct { int word; } pthread_mutexattr_t; typedef struct { int word; } pthread_condattr_t; typedef struct { int word; } pthread_barrierattr_t;
typedef struct { long word; } pthread_rwlockattr_t;
#define PTHREAD_MUTEX_INITIALIZER { { 0 } }
#define PTHREAD_COND_INITIALIZER { { 0 } }
#define PTHREAD_RWLOCK_INITIALIZER { { 0 } }
#define PTHREAD_ONCE_INIT 0
#define pthread_mutex_init(m, a) ((void)(m), 0)
#define pthread_mutex_destroy(m) ((void)(m), 0)
#define pthread_mutex_lock(m) ((void)(m), 0)
#define pthread_mutex_unlock(m) ((void)(m), 0)
#define pthread_rwlock_init(l, a) ((void)(l), 0)
#define pthread_rwlock_destroy(l) ((void)(l), 0)
#define pthread_rwlock_rdlock(l) ((void)(l), 0)
#define pthread_rwlock_wrlock(l) ((void)(l), 0)
#define pthread_rwlock_unlock(l) ((void)(l), 0)
#define pthread_spin_init(l, shared) ((void)(l), (void)(shared), 0)
#define pthread_spin_destroy(l) ((void)(l), 0)
#define pthread_spin_lock(l) ((void)(l), 0)
#define pthread_spin_unlock(l) ((void)(l), 0)
#define pthread_cond_init(c, a) ((void)(c), 0)
#define pthread_cond_destroy(c) ((void)(c), 0)
#define pthread_cond_signal(c) ((void)(c), 0)
#define pthread_cond_broadcast(c) ((void)(c), 0)
int pthread_cond_wait(pthread_cond_t *, pthread_mutex_t *); void *pthread_getspecific(pthread_key_t); int pthread_setspecific(pthread_key_t, const void *);
int pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *); int pthread_join(pthread_t, void **);
pthread_t pthread_self(void); int pthread_equal(pthread_t, pthread_t);
int pthread_mutex_trylock(pthread_mutex_t *);
