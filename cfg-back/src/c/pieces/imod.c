/* m % n, also where m / n would overflow. */
static inline int64_t cfgrev_imod(int64_t m, int64_t n) {
    return n == -1 ? 0 : m % n;
}
