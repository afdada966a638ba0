/* (n - 1)!/x^n * sum, without overflow on the way. */
static inline double cfgrev_polygamma_scaled(int64_t n, double x, double sum) {
    double step = 1.3407807929942597e154; /* 2^512 */
    if (n > 10000) {
        return exp(lgamma((double)n) - (double)n * log(x) + log(sum));
    }
    double product = 1.0 / x;
    int64_t exponent = 0;
    for (int64_t k = 1; k < n; k++) {
        product *= (double)k / x;
        if (product > step) {
            product /= step;
            exponent++;
        } else if (product < 1.0 / step) {
            product *= step;
            exponent--;
        }
    }
    double value = product * sum;
    while (exponent != 0 && value != 0.0 && isfinite(value)) {
        if (exponent > 0) {
            value *= step;
            exponent--;
        } else {
            value /= step;
            exponent++;
        }
    }
    return value;
}

/* n! * zeta(n + 1, x) for n >= 1, x > 0, by Euler-Maclaurin summation. */
static inline double cfgrev_polygamma_positive(int64_t n, double x) {
    /* B(2j)/(2j)! */
    static const double series[14] = {
        1.0 / 12.0, -1.0 / 720.0, 1.0 / 30240.0, -1.0 / 1209600.0, 1.0 / 47900160.0,
        -691.0 / 1307674368000.0, 1.0 / 74724249600.0, -3.3896802963225827e-13,
        8.586062056277845e-15, -2.174868698558062e-16, 5.5090028283602295e-18,
        -1.3954464685812523e-19, 3.534707039629467e-21, -8.953517427037546e-23,
    };
    if (isinf(x)) {
        return 0.0;
    }
    double s = (double)n + 1.0;
    double a = x;
    double sum = 0.0;
    for (int k = 1; k <= 400 && a < s + 10.0; k++) {
        double term = (double)n / x * pow(x / a, s);
        sum += term;
        if (term <= sum * 1e-18) {
            return cfgrev_polygamma_scaled(n, x, sum);
        }
        a = x + (double)k;
    }
    double rising = s / a;
    double tail = 0.5;
    for (int j = 1; j <= 14; j++) {
        double m = s + (double)(2 * j - 1);
        tail += series[j - 1] * rising;
        rising *= (m / a) * ((m + 1.0) / a);
    }
    sum += pow(x / a, (double)n) * (1.0 + (double)n / a * tail);
    return cfgrev_polygamma_scaled(n, x, sum);
}

/* The n-th derivative of digamma. */
static inline double cfgrev_polygamma(int64_t n, double x) {
    if (n == 0) {
        return cfgrev_digamma(x);
    }
    if (n < 0 || isnan(x) || (x < 0.0 && isinf(x))) {
        return NAN;
    }
    bool odd = n % 2 == 1;
    if (cfgrev_is_pole(x)) {
        return odd ? INFINITY : x == 0.0 ? -1.0 / x : NAN;
    }
    if (x > 0.0) {
        double magnitude = cfgrev_polygamma_positive(n, x);
        return odd ? magnitude : -magnitude;
    }
    /* Sums over the terms with positive and with negative base. */
    double d = x - round(x);
    double right = cfgrev_polygamma_positive(n, d > 0.0 ? d : 1.0 + d);
    double left = cfgrev_polygamma_positive(n, d > 0.0 ? 1.0 - d : -d);
    if (isfinite(left)) {
        left -= cfgrev_polygamma_positive(n, 1.0 - x);
    }
    if (odd) {
        return left + right;
    }
    if (left == right) {
        return isfinite(left) ? 0.0 : copysign(INFINITY, -d);
    }
    return left - right;
}
