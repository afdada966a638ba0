/* Remainder with the sign of the divisor. */
static inline int64_t cfgrev_imodulo(int64_t m, int64_t n) {
    int64_t r = cfgrev_imod(m, n);
    return r != 0 && (r < 0) != (n < 0) ? r + n : r;
}
