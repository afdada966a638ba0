static inline int64_t cfgrev_imin(int64_t m, int64_t n) {
    return m <= n ? m : n;
}
