/* Its argument, which the compiler does not know. */
static inline uint64_t cfgrev_unsigned(uint64_t n) {
    return n;
}
