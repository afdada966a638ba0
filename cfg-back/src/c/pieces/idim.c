/* m - n if m > n, 0 elsewhere. */
static inline int64_t cfgrev_idim(int64_t m, int64_t n) {
    return m <= n ? 0 : m - n;
}
