/* Its argument, which the compiler does not know. */
static inline int64_t cfgrev_value(int64_t n) {
    return n;
}
