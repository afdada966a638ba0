/* x to the power n: by multiplications up to 64, by pow beyond. */
static inline double cfgrev_powi(double x, int64_t n) {
    uint64_t m = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
    if (m <= 64) {
        double power = 1.0;
        double square = x;
        while (m > 0) {
            if (m % 2 == 1) {
                power *= square;
            }
            m /= 2;
            if (m > 0) {
                square *= square;
            }
        }
        if (n >= 0) {
            return power;
        }
        if (isnormal(power)) {
            return 1.0 / power;
        }
    }
    double magnitude = pow(fabs(x), (double)n);
    return n % 2 == 0 ? magnitude : copysign(magnitude, x);
}
