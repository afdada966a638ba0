#include "helpers.h"
double f(double x) { return helper(x); }
