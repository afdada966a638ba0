/* Complex numbers: what operators become, and the functions of complex.h, for double and for float. REAL and COMPLEX are
   the types, F(name) is a function for them, and the constants are those of the type. Results are those of gcc and of the
   GNU C library bit for bit. Where the value of a formula does not show what it depends on, the formula does. */

COMPLEX F(__cfgrev_complex)(REAL x, REAL y)
{
    COMPLEX z;
    __real__ z = x;
    __imag__ z = y;
    return z;
}

OTHER_COMPLEX F(__cfgrev_converted)(COMPLEX z)
{
    OTHER_COMPLEX w;
    __real__ w = (OTHER_REAL)__real__ z;
    __imag__ w = (OTHER_REAL)__imag__ z;
    return w;
}

int F(__cfgrev_equal)(COMPLEX z, COMPLEX w) { return __real__ z == __real__ w && __imag__ z == __imag__ w; }
COMPLEX F(__cfgrev_negative)(COMPLEX z) { return MAKE(-__real__ z, -__imag__ z); }
COMPLEX F(__cfgrev_sum)(COMPLEX z, COMPLEX w) { return MAKE(__real__ z + __real__ w, __imag__ z + __imag__ w); }
COMPLEX F(__cfgrev_difference)(COMPLEX z, COMPLEX w) { return MAKE(__real__ z - __real__ w, __imag__ z - __imag__ w); }

/* With a real number on one side. */
COMPLEX F(__cfgrev_sum_real)(COMPLEX z, REAL x) { return MAKE(__real__ z + x, __imag__ z); }
COMPLEX F(__cfgrev_difference_real)(COMPLEX z, REAL x) { return MAKE(__real__ z - x, __imag__ z); }
COMPLEX F(__cfgrev_real_difference)(REAL x, COMPLEX z) { return MAKE(x - __real__ z, -__imag__ z); }
COMPLEX F(__cfgrev_product_real)(COMPLEX z, REAL x) { return MAKE(__real__ z * x, __imag__ z * x); }
COMPLEX F(__cfgrev_quotient_real)(COMPLEX z, REAL x) { return MAKE(__real__ z / x, __imag__ z / x); }

/* Comparisons of absolute values that have no kink at 0, and no branch. */
int F(__cfgrev_within)(REAL x, REAL limit) { return (x < limit) & (x > -limit); }
int F(__cfgrev_less)(REAL x, REAL y) { return ((y > x) & (y > -x)) | ((y < x) & (y < -x)); }
int F(__cfgrev_usual)(REAL x) { return (x == 0) | (!F(__cfgrev_within)(x, LOW) & F(__cfgrev_within)(x, HIGH)); }

/* 1 for an infinite part of a number, 0 for another one, with its sign. */
REAL F(__cfgrev_unit)(REAL x) { return F(copysign)(__builtin_isinf(x) ? ONE : ZERO, x); }
REAL F(__cfgrev_zero_of_nan)(REAL x) { return x != x ? F(copysign)(ZERO, x) : x; }

/* Where both parts are no numbers, C99 G.5.1 recovers infinities. */
COMPLEX F(__cfgrev_product)(COMPLEX z, COMPLEX w)
{
    REAL a = __real__ z, b = __imag__ z, c = __real__ w, d = __imag__ w;
    REAL x = a * c - b * d, y = a * d + b * c;
    if (x != x && y != y) {
        int found = __builtin_isinf(a * c) || __builtin_isinf(b * d);
        found = found || __builtin_isinf(a * d) || __builtin_isinf(b * c);
        int first = __builtin_isinf(a) || __builtin_isinf(b), second = __builtin_isinf(c) || __builtin_isinf(d);
        if (first) {
            a = F(__cfgrev_unit)(a);
            b = F(__cfgrev_unit)(b);
            c = F(__cfgrev_zero_of_nan)(c);
            d = F(__cfgrev_zero_of_nan)(d);
        }
        if (second) {
            c = F(__cfgrev_unit)(c);
            d = F(__cfgrev_unit)(d);
            a = F(__cfgrev_zero_of_nan)(a);
            b = F(__cfgrev_zero_of_nan)(b);
        }
        if (found && !first && !second) {
            a = F(__cfgrev_zero_of_nan)(a);
            b = F(__cfgrev_zero_of_nan)(b);
            c = F(__cfgrev_zero_of_nan)(c);
            d = F(__cfgrev_zero_of_nan)(d);
        }
        if (found || first || second) {
            x = INFINITE * (a * c - b * d);
            y = INFINITE * (a * d + b * c);
        }
    }
    return MAKE(x, y);
}

/* The quotient by the larger part of the divisor, scaled (Baudin and Smith, A robust complex division in Scilab, 2012);
   that of float is computed in double. */
COMPLEX F(__cfgrev_quotient)(COMPLEX z, COMPLEX w)
{
    REAL a = __real__ z, b = __imag__ z, c = __real__ w, d = __imag__ w, x, y;
#ifdef WIDE
    WIDE square = (WIDE)c * c + (WIDE)d * d;
    x = (REAL)(((WIDE)a * c + (WIDE)b * d) / square);
    y = (REAL)(((WIDE)b * c - (WIDE)a * d) / square);
#else
    int swapped = F(__cfgrev_less)(c, d);
    REAL large = swapped ? d : c, scale = ONE;
    if (!F(__cfgrev_within)(large, HUGE / 2)) {
        scale = 0.5;
    } else if (F(__cfgrev_within)(large, EPSILON)) {
        scale = 1 / EPSILON;
    } else {
        REAL limit = HUGE / 2 * EPSILON;
        int left = F(__cfgrev_within)(a, TINY) & F(__cfgrev_within)(b, limit);
        int right = F(__cfgrev_within)(b, TINY) & F(__cfgrev_within)(a, limit);
        /* Where a part is 0 and no other is extreme, the scale changes nothing. */
        int usual = F(__cfgrev_usual)(a) & F(__cfgrev_usual)(b) & F(__cfgrev_usual)(c) & F(__cfgrev_usual)(d);
        if ((left | right) & F(__cfgrev_within)(large, limit) & !usual)
            scale = 1 / EPSILON;
    }
    a *= scale;
    b *= scale;
    c *= scale;
    d *= scale;
    large = swapped ? d : c;
    REAL small = swapped ? c : d, p = swapped ? b : a, q = swapped ? a : b;
    REAL ratio = small / large, divisor = small * ratio + large;
    int finite = F(__cfgrev_within)(p / large, HUGE) & F(__cfgrev_within)(q / large, HUGE);
    if (!F(__cfgrev_within)(ratio, TINY) | ((small == 0) & finite)) {
        x = (q * ratio + p) / divisor;
        y = (swapped ? p * ratio - q : q - p * ratio) / divisor;
    } else {
        x = (small * (q / large) + p) / divisor;
        y = (swapped ? small * (p / large) - q : q - small * (p / large)) / divisor;
    }
#endif
    if (x != x && y != y) {
        int first = __builtin_isinf(a) || __builtin_isinf(b), second = __builtin_isinf(c) || __builtin_isinf(d);
        if (c == 0 && d == 0 && (a == a || b == b)) {
            x = F(copysign)(INFINITE, c) * a;
            y = F(copysign)(INFINITE, c) * b;
        } else if (first && __builtin_isfinite(c) && __builtin_isfinite(d)) {
            a = F(__cfgrev_unit)(a);
            b = F(__cfgrev_unit)(b);
            x = INFINITE * (a * c + b * d);
            y = INFINITE * (b * c - a * d);
        } else if (second && __builtin_isfinite(a) && __builtin_isfinite(b)) {
            c = F(__cfgrev_unit)(c);
            d = F(__cfgrev_unit)(d);
            x = ZERO * (a * c + b * d);
            y = ZERO * (b * c - a * d);
        }
    }
    return MAKE(x, y);
}

REAL F(creal)(COMPLEX z) { return __real__ z; }
REAL F(cimag)(COMPLEX z) { return __imag__ z; }
COMPLEX F(conj)(COMPLEX z) { return MAKE(__real__ z, -__imag__ z); }
REAL F(cabs)(COMPLEX z) { return F(hypot)(__real__ z, __imag__ z); }
REAL F(carg)(COMPLEX z) { return F(atan2)(__imag__ z, __real__ z); }

COMPLEX F(cproj)(COMPLEX z)
{
    if (__builtin_isinf(__real__ z) || __builtin_isinf(__imag__ z))
        return MAKE(INFINITE, F(copysign)(ZERO, __imag__ z));
    return z;
}

/* e to the power x times u and v; a power that no number has is taken in up to three factors, `part` with the first. */
COMPLEX F(__cfgrev_times_exp)(REAL u, REAL v, REAL x, REAL part)
{
    if (x > LIMIT) {
        REAL e = F(exp)(LIMIT);
        x -= LIMIT;
        u *= e * part;
        v *= e * part;
        if (x > LIMIT) {
            x -= LIMIT;
            u *= e;
            v *= e;
        }
    }
    if (x > LIMIT)
        return MAKE(HUGE * u, HUGE * v);
    REAL e = F(exp)(x);
    return MAKE(e * u, e * v);
}

COMPLEX F(cexp)(COMPLEX z)
{
    REAL x = __real__ z, y = __imag__ z;
    if (__builtin_isinf(x) && y - y != 0)
        return x < 0 ? MAKE(ZERO, F(copysign)(ZERO, y)) : MAKE(x, y - y);
    return F(__cfgrev_times_exp)(F(cos)(y), F(sin)(y), x, ONE);
}

/* x * x + y * y - 1 from products and sums with what rounding takes from them, the smallest first; without a branch. */
REAL F(__cfgrev_square_less_one)(REAL x, REAL y)
{
#ifdef WIDE
    return (REAL)(((WIDE)x - 1) * ((WIDE)x + 1) + (WIDE)y * y);
#else
    REAL a = x * x, b = y * y, t[5] = {F(fma)(x, x, -a), a, F(fma)(y, y, -b), b, -ONE};
    for (int from = 0; from < 5; from++) {
        for (int i = from + 1; i < 5; i++) {
            for (int k = i; k > from; k--) {
                REAL p = t[k - 1], q = t[k];
                int less = F(__cfgrev_less)(q, p);
                t[k - 1] = less ? q : p;
                t[k] = less ? p : q;
            }
        }
        if (from < 4) {
            REAL large = t[from + 1], sum = large + t[from];
            t[from] -= sum - large;
            t[from + 1] = sum;
        }
    }
    return t[4] + t[3] + t[2] + t[1] + t[0];
#endif
}

/* The logarithm of the absolute value. */
REAL F(__cfgrev_log_abs)(REAL x, REAL y)
{
    int swapped = F(__cfgrev_less)(x, y);
    REAL large = swapped ? y : x, small = swapped ? x : y;
    if (large < 0)
        large = -large;
    if (large == 0 && small == 0)
        return -INFINITE;
    if (large > HUGE / 2) {
        small = F(__cfgrev_within)(small, 2 * TINY) ? ZERO : small * HALF;
        return F(log)(F(hypot)(large * HALF, small)) + LN2;
    }
    if (large < TINY)
        return F(log)(F(hypot)(large * POWER, small * POWER)) - DIGITS * LN2;
    if (large == 1 || large > 1 && large < 2 && F(__cfgrev_within)(small, ONE)
        || large >= HALF && large < 1 && F(__cfgrev_within)(small, EPSILON / 2))
        return F(log1p)((large - 1) * (large + 1) + small * small) / 2;
    if (large < 1 && large >= HALF && large * large + small * small >= HALF)
        return F(log1p)(F(__cfgrev_square_less_one)(large, small)) / 2;
    return F(log)(F(hypot)(large, small));
}

COMPLEX F(clog)(COMPLEX z) { return MAKE(F(__cfgrev_log_abs)(__real__ z, __imag__ z), F(carg)(z)); }
COMPLEX F(cpow)(COMPLEX z, COMPLEX w) { return F(cexp)(w * F(clog)(z)); }

COMPLEX F(csqrt)(COMPLEX z)
{
    REAL x = __real__ z, y = __imag__ z, scale = ONE;
    int imaginary = x == 0;
    if (__builtin_isinf(y))
        return MAKE(INFINITE, y);
    if (F(__cfgrev_less)(HUGE / 4, x)) {
        scale = 2;
        x *= QUARTER;
        y *= QUARTER;
    } else if (F(__cfgrev_less)(HUGE / 4, y)) {
        scale = 2;
        x = F(__cfgrev_within)(x, 4 * TINY) ? ZERO : x * QUARTER;
        y *= QUARTER;
    } else if (F(__cfgrev_within)(x, 2 * TINY) & F(__cfgrev_within)(y, 2 * TINY)) {
        if (x == 0 && y == 0)
            return MAKE(F(sqrt)(F(fabs)(x)), y);
        scale = 1 / ROOT;
        x *= ROOT * ROOT;
        y *= ROOT * ROOT;
    }
    REAL d = F(hypot)(x, y), r, s;
    if (x > 0) {
        r = F(sqrt)(HALF * (d + x));
        if (scale == 2 && F(__cfgrev_within)(y, 2 * ONE)) {
            s = y / r;
            return MAKE(r * scale, s);
        }
        s = HALF * (y / r);
        return MAKE(r * scale, s * scale);
    }
    s = F(sqrt)(HALF * (d - x));
    REAL sign = F(copysign)(ONE, y);
    if (imaginary)
        r = F(sqrt)(HALF * (d + x));
    else if (scale == 2 && F(__cfgrev_within)(y, 2 * ONE))
        return MAKE(sign * (y / s), sign * (s * scale));
    else
        r = sign * (HALF * (y / s));
    return MAKE(r * scale, sign * (s * scale));
}

COMPLEX F(ccosh)(COMPLEX z)
{
    REAL x = __real__ z, y = __imag__ z;
    if (F(__cfgrev_less)(LIMIT, x)) {
        REAL sine = F(copysign)(ONE, x) * F(sin)(y);
        return F(__cfgrev_times_exp)(F(cos)(y), sine, F(fabs)(x), HALF);
    }
    return MAKE(F(cosh)(x) * F(cos)(y), F(sinh)(x) * F(sin)(y));
}

COMPLEX F(csinh)(COMPLEX z)
{
    REAL x = __real__ z, y = __imag__ z;
    if (F(__cfgrev_less)(LIMIT, x)) {
        REAL cosine = F(copysign)(ONE, x) * F(cos)(y);
        return F(__cfgrev_times_exp)(cosine, F(sin)(y), F(fabs)(x), HALF);
    }
    return MAKE(F(sinh)(x) * F(cos)(y), F(cosh)(x) * F(sin)(y));
}

COMPLEX F(csin)(COMPLEX z)
{
    COMPLEX w = F(csinh)(MAKE(-__imag__ z, __real__ z));
    return MAKE(__imag__ w, -__real__ w);
}

COMPLEX F(ccos)(COMPLEX z) { return F(ccosh)(MAKE(-__imag__ z, __real__ z)); }

COMPLEX F(ctanh)(COMPLEX z)
{
    REAL x = __real__ z, y = __imag__ z, limit = LIMIT_TANH, sine = F(sin)(y), cosine = F(cos)(y);
    if (y - y != 0)
        return MAKE(y - y, y - y);
    if (F(__cfgrev_less)(limit, x)) {
        REAL e = F(exp)(2 * limit), part = 4 * sine * cosine / e;
        x = F(fabs)(x) - limit;
        return MAKE(F(copysign)(ONE, __real__ z), x > limit ? part / e : part / F(exp)(2 * x));
    }
    REAL s = F(sinh)(x), c = F(cosh)(x), divisor = s * s + cosine * cosine;
    return MAKE(s * c / divisor, sine * cosine / divisor);
}

COMPLEX F(ctan)(COMPLEX z)
{
    COMPLEX w = F(ctanh)(MAKE(-__imag__ z, __real__ z));
    return MAKE(__imag__ w, -__real__ w);
}

#undef REAL
#undef COMPLEX
#undef OTHER_REAL
#undef OTHER_COMPLEX
#undef WIDE
#undef F
#undef MAKE
#undef INFINITE
#undef HUGE
#undef TINY
#undef EPSILON
#undef ZERO
#undef QUARTER
#undef HALF
#undef ONE
#undef LOW
#undef HIGH
#undef LN2
#undef DIGITS
#undef POWER
#undef ROOT
#undef LIMIT
#undef LIMIT_TANH
