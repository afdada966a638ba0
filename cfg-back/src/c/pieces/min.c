/* The first of equal operands, also of -0 and +0; NaN if either is. */
static inline double cfgrev_min(double x, double y) {
    double least = x <= y ? x : y;
    return x != x ? x : least;
}
