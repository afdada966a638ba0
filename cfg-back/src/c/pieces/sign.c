/* |x| with the sign of y; a NaN counts as positive, whatever its sign is. */
static inline double cfgrev_sign(double x, double y) {
    return y != y ? fabs(x) : copysign(x, y);
}
