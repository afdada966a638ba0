/* 0.0 - x. GCC may take that as -x, which has the other sign where x is 0. */
static inline double cfgrev_minus(double x) {
    return x == 0.0 ? 0.0 : -x;
}
