#pragma once
#include <stddef.h>
typedef long clock_t; typedef long time_t;
clock_t clock(void); time_t time(time_t *);
#define CLOCKS_PER_SEC 1000000L
