/* Remainder with the sign of the divisor, also if it is 0. */
static inline double cfgrev_modulo(double x, double y) {
    double r = fmod(x, y);
    if (r == 0.0) {
        return copysign(r, y);
    }
    return (r < 0.0) != (y < 0.0) ? r + y : r;
}
