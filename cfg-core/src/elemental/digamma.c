/* Sum of the first n coefficients times powers of x. */
static inline double cfgrev_horner(const double *coefficients, int n, double x) {
    double sum = 0.0;
    while (n > 0) {
        sum = sum * x + coefficients[--n];
    }
    return sum;
}

/* True of the poles of gamma: 0, -1, -2, ... */
static inline bool cfgrev_is_pole(double x) {
    return x <= 0.0 && x == floor(x) && isfinite(x);
}

static inline double cfgrev_digamma_positive(double x) {
    /* B(2j)/(2j) */
    static const double series[9] = {
        1.0 / 12.0, -1.0 / 120.0, 1.0 / 252.0, -1.0 / 240.0, 1.0 / 132.0,
        -691.0 / 32760.0, 1.0 / 12.0, -3617.0 / 8160.0, 43867.0 / 14364.0,
    };
    /* Taylor coefficients at the positive zero. */
    static const double at_root[16] = {
        0.9676722454476212, -0.4427631689835921, 0.258499760955651, -0.16394270544240652,
        0.10782405069126237, -0.07219956125645471, 0.04880428816414311, -0.03316112647484736,
        0.022597648232218104, -0.01542476590494896, 0.010538791616612175, -0.007204534386356869,
        0.004926781395729853, -0.003369801655439328, 0.002305126326734928, -0.0015769367714301972,
    };
    double from_root = (x - 1.4616321449683622) - 9.549995429965697e-17;
    if (fabs(from_root) < 0.125) {
        return from_root * cfgrev_horner(at_root, 16, from_root);
    }
    double shift = 0.0;
    while (x < 10.0) {
        shift += 1.0 / x;
        x += 1.0;
    }
    double r = 1.0 / x;
    return log(x) - 0.5 * r - r * r * cfgrev_horner(series, 9, r * r) - shift;
}

/* Derivative of lgamma. */
static inline double cfgrev_digamma(double x) {
    if (x == 0.0) {
        return -1.0 / x;
    }
    if (x > 0.0 && isinf(x)) {
        return x;
    }
    if (x < 0.0) {
        if (cfgrev_is_pole(x) || isinf(x)) {
            return NAN;
        }
        double pi = 3.141592653589793;
        double d = x - round(x);
        return cfgrev_digamma_positive(1.0 - x) - pi / tan(pi * d);
    }
    return cfgrev_digamma_positive(x);
}
