/* x - y if x > y, 0 elsewhere; NaN if either is. */
static inline double cfgrev_dim(double x, double y) {
    double difference = x - y;
    return x <= y ? 0.0 : difference;
}
