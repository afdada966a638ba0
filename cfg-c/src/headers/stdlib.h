#pragma once
#include <stddef.h>
int abs(int); long labs(long); long long llabs(long long);
void *malloc(size_t); void *calloc(size_t, size_t); void *realloc(void *, size_t); void free(void *);
void *aligned_alloc(size_t, size_t); void *memalign(size_t, size_t); void *reallocarray(void *, size_t, size_t);
int posix_memalign(void **, size_t, size_t);
void exit(int); void abort(void); void _Exit(int); void quick_exit(int); int rand(void); void srand(unsigned int);
int atoi(const char *); long atol(const char *); double atof(const char *);
double strtod(const char *, char **); long strtol(const char *, char **, int); char *getenv(const char *);
void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
