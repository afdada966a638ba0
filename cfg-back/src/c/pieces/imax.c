static inline int64_t cfgrev_imax(int64_t m, int64_t n) {
    return m >= n ? m : n;
}
