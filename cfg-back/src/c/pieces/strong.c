/* Strong product: 0 if the derivative is, whatever the partial is. */
static inline double cfgrev_strong(double derivative, double partial) {
    double product = derivative * partial;
    return derivative == 0.0 ? 0.0 : product;
}
