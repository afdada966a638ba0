/* |m| with the sign of n; 0 counts as positive. */
static inline int64_t cfgrev_isign(int64_t m, int64_t n) {
    return (m < 0) == (n < 0) ? m : -m;
}
