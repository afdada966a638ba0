/* The first of equal operands, also of -0 and +0; NaN if either is. */
static inline double cfgrev_max(double x, double y) {
    double greatest = x >= y ? x : y;
    return x != x ? x : greatest;
}
