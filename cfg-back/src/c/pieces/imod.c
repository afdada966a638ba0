/* m % n, also where m / n would overflow. Short numbers are divided faster. */
static inline int64_t cfgrev_imod(int64_t m, int64_t n) {
    if (((uint64_t)m | (uint64_t)n) >> 32 == 0)
        return (int64_t)((uint32_t)m % (uint32_t)n);
    return n == -1 ? 0 : m % n;
}
