/* m to the power n; a negative power is the quotient 1/m^-n without its fraction. */
static inline int64_t cfgrev_ipow(int64_t m, int64_t n) {
    int64_t power = 1;
    if (n < 0) {
        if (m == 1 || m == -1) {
            return n % 2 == 0 ? 1 : m;
        }
        return 0;
    }
    while (n > 0) {
        if (n % 2 == 1) {
            power *= m;
        }
        n /= 2;
        if (n > 0) {
            m *= m;
        }
    }
    return power;
}
