#pragma once
#include <stddef.h>
typedef long clock_t; typedef long time_t;
struct timespec { time_t tv_sec; long tv_nsec; };
struct tm { int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst; };
clock_t clock(void); time_t time(time_t *); double difftime(time_t, time_t); time_t mktime(struct tm *);
char *asctime(const struct tm *); char *ctime(const time_t *); struct tm *gmtime(const time_t *); struct tm *localtime(const time_t *);
size_t strftime(char *, size_t, const char *, const struct tm *); int clock_gettime(int, struct timespec *); int timespec_get(struct timespec *, int);
#define CLOCKS_PER_SEC 1000000L
#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
#define TIME_UTC 1
/* What macros become in files that are preprocessed. */
typedef clock_t __clock_t; typedef time_t __time_t;
