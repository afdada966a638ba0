//! The table of the operators.

/// Hands the rows of all operators to a macro. A row has the variant, the name in files, class, fewest and most
/// operands (255: any number), their types, the function of [`builder::expr`](crate::builder::expr) if there is one,
/// and the fields of [`OpInfo`](super::OpInfo) that are not empty.
macro_rules! operator_table {
    ($define:ident) => {
        $define! {
            /// Sum, left fold.
            Add "+" Elemental 2..255 Numbers {
                value: "x + y, from the left", xaif: "add_scal_scal", intrinsics: &["add"],
            };
            /// Difference; one operand: negation is [`Op::Neg`], written `["-", x]` too.
            Sub "-" Elemental 2..2 Numbers { value: "x - y", xaif: "sub_scal_scal", intrinsics: &["sub"] };
            /// Unary minus. In files `["neg", x]`; `["-", x]` is read as this.
            Neg "neg" Elemental 1..1 Numbers { value: "-x", xaif: "minus_scal", intrinsics: &["minus", "neg"] };
            /// Product, left fold.
            Mul "*" Elemental 2..255 Numbers {
                value: "x*y, from the left", xaif: "mul_scal_scal", intrinsics: &["mul"],
            };
            /// Quotient; of two integers, truncated toward zero.
            Div "/" Elemental 2..2 Numbers {
                value: "x/y; of integers truncated toward zero, by 0 a run-time error",
                corners: "y = 0 singular: IEEE infinities and NaN", xaif: "div_scal_scal", intrinsics: &["div"],
            };
            /// Power; integer or real exponent.
            Pow "**" Elemental 2..2 Numbers fn pow(x, y) {
                value: "x**y. Integer exponent: binary powering up to magnitude 64, beyond by `pow`; x**0 = 1 even \
                    for NaN. Real exponent: IEEE 754 `pow`. Both integers: exact; negative exponent truncated (0, 1, \
                    -1), 0 to a negative power a run-time error", defined: "real exponent: x >= 0, or y whole",
                corners: "x = 0: partial by x is 0 for y = 0, 1 for y = 1, 0 for y > 1, infinite for 0 < y < 1; \
                    partial by y is 0 for y > 0. y < 0 singular. x < 0: partial by y is NaN, none exists",
                real: binary!(f64::powf, libm::pow, f32::powf, libm::powf), c: "pow", xaif: "pow_scal_scal",
            };
            /// Strong product: 0 if the first operand is 0, whatever the second is, otherwise their product.
            /// The adjoint and tangent rules multiply a derivative (first) with a partial that may be infinite
            /// or NaN (second).
            StrongMul "strong*" Elemental 2..2 MixedReals {
                value: "0 if x = 0, otherwise x*y",
                corners: "where x = 0 the partial by y is 0 and cancels any derivative, infinite or NaN ones too",
            };
            /// `a*b + c` rounded once.
            Fma "fma" Elemental 3..3 MixedReals fn fma(a, b, c) { value: "x*y + z, rounded once", c: "fma" };
            /// Square root.
            Sqrt "sqrt" Elemental 1..1 Real fn sqrt(x) {
                value: "square root, correctly rounded", defined: "x >= 0",
                corners: "x = 0 singular: partial +inf (at -0 -inf)", domain: Domain::From(0.0), c: "sqrt",
                xaif: "sqrt_scal", intrinsics: &["sqrt", "dsqrt"],
            };
            /// Cube root.
            Cbrt "cbrt" Elemental 1..1 Real fn cbrt(x) {
                value: "cube root", corners: "x = 0 singular: partial +inf", domain: Domain::Except(0.0),
                real: unary!(cfg_math::cbrt, libm::cbrt, cfg_math::cbrtf, libm::cbrtf), c: "cbrt",
            };
            /// Exponential.
            Exp "exp" Elemental 1..1 Real fn exp(x) {
                value: "exponential", real: unary!(f64::exp, libm::exp, f32::exp, libm::expf), c: "exp",
                xaif: "exp_scal", intrinsics: &["exp", "dexp"],
            };
            /// `exp(x) - 1`.
            Expm1 "expm1" Elemental 1..1 Real fn expm1(x) {
                value: "exp(x) - 1, accurate near 0",
                real: unary!(f64::exp_m1, libm::expm1, f32::exp_m1, libm::expm1f), c: "expm1",
            };
            /// Natural logarithm.
            Log "log" Elemental 1..1 Real fn log(x) {
                value: "natural logarithm", defined: "x >= 0",
                corners: "x = 0 singular: value -inf, partial infinite", domain: Domain::From(0.0),
                real: unary!(f64::ln, libm::log, f32::ln, libm::logf), c: "log", xaif: "ln_scal",
                intrinsics: &["ln", "log", "alog", "dlog"],
            };
            /// `log(1 + x)`.
            Log1p "log1p" Elemental 1..1 Real fn log1p(x) {
                value: "log(1 + x), accurate near 0", defined: "x >= -1",
                corners: "x = -1 singular: value -inf, partial +inf", domain: Domain::From(-1.0),
                real: unary!(f64::ln_1p, libm::log1p, f32::ln_1p, libm::log1pf), c: "log1p",
            };
            /// Logarithm to base 2.
            Log2 "log2" Elemental 1..1 Real fn log2(x) {
                value: "logarithm to base 2", defined: "x >= 0",
                corners: "x = 0 singular: value -inf, partial infinite", domain: Domain::From(0.0),
                real: unary!(f64::log2, libm::log2, f32::log2, libm::log2f), c: "log2",
            };
            /// Logarithm to base 10.
            Log10 "log10" Elemental 1..1 Real fn log10(x) {
                value: "logarithm to base 10", defined: "x >= 0",
                corners: "x = 0 singular: value -inf, partial infinite", domain: Domain::From(0.0),
                real: unary!(f64::log10, libm::log10, f32::log10, libm::log10f), c: "log10", xaif: "log10",
                intrinsics: &["log10", "alog10", "dlog10"],
            };
            /// Sine.
            Sin "sin" Elemental 1..1 Real fn sin(x) {
                value: "sine", defined: "x finite", domain: Domain::Finite,
                real: unary!(f64::sin, libm::sin, f32::sin, libm::sinf), c: "sin", xaif: "sin_scal",
                intrinsics: &["sin", "dsin"],
            };
            /// Cosine.
            Cos "cos" Elemental 1..1 Real fn cos(x) {
                value: "cosine", defined: "x finite", domain: Domain::Finite,
                real: unary!(f64::cos, libm::cos, f32::cos, libm::cosf), c: "cos", xaif: "cos_scal",
                intrinsics: &["cos", "dcos"],
            };
            /// Tangent function.
            Tan "tan" Elemental 1..1 Real fn tan(x) {
                value: "tangent", defined: "x finite", domain: Domain::Finite,
                real: unary!(f64::tan, libm::tan, f32::tan, libm::tanf), c: "tan", xaif: "tan_scal",
                intrinsics: &["tan", "dtan"],
            };
            /// Inverse sine.
            Asin "asin" Elemental 1..1 Real fn asin(x) {
                value: "inverse sine", defined: "|x| <= 1", corners: "|x| = 1 singular: partial +inf",
                domain: Domain::Within(1.0), real: unary!(f64::asin, libm::asin, f32::asin, libm::asinf), c: "asin",
                xaif: "arcsin_scal", intrinsics: &["arcsin", "asin", "dasin"],
            };
            /// Inverse cosine.
            Acos "acos" Elemental 1..1 Real fn acos(x) {
                value: "inverse cosine", defined: "|x| <= 1", corners: "|x| = 1 singular: partial -inf",
                domain: Domain::Within(1.0), real: unary!(f64::acos, libm::acos, f32::acos, libm::acosf), c: "acos",
                xaif: "arccos_scal", intrinsics: &["arccos", "acos", "dacos"],
            };
            /// Inverse tangent function.
            Atan "atan" Elemental 1..1 Real fn atan(x) {
                value: "inverse tangent", real: unary!(f64::atan, libm::atan, f32::atan, libm::atanf), c: "atan",
                xaif: "arctan_scal", intrinsics: &["arctan", "atan", "datan"],
            };
            /// Angle of the point (second, first): `atan2(y, x)`.
            Atan2 "atan2" Elemental 2..2 MixedReals fn atan2(y, x) {
                value: "angle of the point with ordinate x and abscissa y, in [-pi, pi]",
                corners: "(0, 0) singular: partials NaN. x = 0, y < 0: the value jumps by 2 pi, partials are those of \
                    either side", real: binary!(f64::atan2, libm::atan2, f32::atan2, libm::atan2f), c: "atan2",
                xaif: "arctan2_scal_scal", intrinsics: &["arctan", "atan", "arctan2", "atan2", "datan2"],
            };
            /// Hyperbolic sine.
            Sinh "sinh" Elemental 1..1 Real fn sinh(x) {
                value: "hyperbolic sine", real: unary!(f64::sinh, libm::sinh, f32::sinh, libm::sinhf), c: "sinh",
                xaif: "sinh_scal", intrinsics: &["sinh", "dsinh"],
            };
            /// Hyperbolic cosine.
            Cosh "cosh" Elemental 1..1 Real fn cosh(x) {
                value: "hyperbolic cosine", real: unary!(f64::cosh, libm::cosh, f32::cosh, libm::coshf), c: "cosh",
                xaif: "cosh_scal", intrinsics: &["cosh", "dcosh"],
            };
            /// Hyperbolic tangent.
            Tanh "tanh" Elemental 1..1 Real fn tanh(x) {
                value: "hyperbolic tangent", real: unary!(f64::tanh, libm::tanh, f32::tanh, libm::tanhf), c: "tanh",
                xaif: "tanh_scal", intrinsics: &["tanh", "dtanh"],
            };
            /// Inverse hyperbolic sine.
            Asinh "asinh" Elemental 1..1 Real fn asinh(x) {
                value: "inverse hyperbolic sine",
                real: unary!(cfg_math::asinh, libm::asinh, cfg_math::asinhf, libm::asinhf), c: "asinh",
                intrinsics: &["arcsinh", "asinh"],
            };
            /// Inverse hyperbolic cosine.
            Acosh "acosh" Elemental 1..1 Real fn acosh(x) {
                value: "inverse hyperbolic cosine", defined: "x >= 1", corners: "x = 1 singular: partial +inf",
                domain: Domain::From(1.0), real: unary!(cfg_math::acosh, acosh, cfg_math::acoshf, acoshf), c: "acosh",
                intrinsics: &["arccosh", "acosh"],
            };
            /// Inverse hyperbolic tangent.
            Atanh "atanh" Elemental 1..1 Real fn atanh(x) {
                value: "inverse hyperbolic tangent", defined: "|x| <= 1",
                corners: "|x| = 1 singular: value and partial infinite", domain: Domain::Within(1.0),
                real: unary!(cfg_math::atanh, libm::atanh, cfg_math::atanhf, libm::atanhf), c: "atanh",
                intrinsics: &["arctanh", "atanh"],
            };
            /// `sqrt(x*x + y*y)` without undue overflow.
            Hypot "hypot" Elemental 2..2 MixedReals fn hypot(x, y) {
                value: "sqrt(x**2 + y**2), without undue overflow; infinite if either is, even with NaN",
                corners: "(0, 0) singular: partials NaN",
                real: binary!(f64::hypot, libm::hypot, f32::hypot, libm::hypotf), c: "hypot", intrinsics: &["hypot"],
            };
            /// Absolute value.
            Abs "abs" Elemental 1..1 Numbers fn abs(x) {
                value: "absolute value", corners: "x = 0 (either sign) kink: partial 1, as for x > 0", c: "fabs",
                xaif: "abs_scal", intrinsics: &["abs", "iabs", "dabs"],
            };
            /// Smallest operand; the first of equal ones.
            Min "min" Elemental 1..255 Numbers fn min(x, y) {
                value: "smallest; the first of equal ones (also of -0 and +0); NaN if any is",
                corners: "equal operands kink: the first has partial 1, the others 0; of NaN: the last operand has 1",
                xaif: "min_scal_scal", intrinsics: &["min", "min0", "amin1", "dmin1"],
            };
            /// Largest operand; the first of equal ones.
            Max "max" Elemental 1..255 Numbers fn max(x, y) {
                value: "largest; the first of equal ones (also of -0 and +0); NaN if any is",
                corners: "equal operands kink: the first has partial 1, the others 0; of NaN: the last operand has 1",
                xaif: "max_scal_scal", intrinsics: &["max", "max0", "amax1", "dmax1"],
            };
            /// Magnitude of the first operand with the sign of the second (Fortran `sign`, C `copysign`).
            Sign "sign" Elemental 2..2 Numbers fn sign(x, y) {
                value: "|x| with the sign of y, -0 counting as negative; of integers, 0 counts as positive",
                corners: "x = 0 kink: slope of x > 0, so 1 with the sign of y. y = 0: jump, partial by y stays 0",
                c: "copysign", xaif: "sign_scal_scal", intrinsics: &["sign", "isign", "dsign"],
            };
            /// Remainder with the sign of the dividend (Fortran `mod`, C `fmod` and `%`).
            Mod "mod" Elemental 2..2 Numbers fn modulus(x, y) {
                value: "x - y*trunc(x/y), exact; the sign of x, also if zero; by the integer 0 a run-time error",
                defined: "y not 0, x finite",
                corners: "x a multiple of y, not 0: jump; partials of the branch with the quotient trunc(x/y)",
                c: "fmod", xaif: "mod_scal_scal", intrinsics: &["mod", "amod", "dmod", "rem"],
            };
            /// Remainder with the sign of the divisor (Fortran `modulo`).
            Modulo "modulo" Elemental 2..2 Numbers fn modulo(x, y) {
                value: "x - y*floor(x/y); the sign of y, also if zero; by the integer 0 a run-time error",
                defined: "y not 0, x finite",
                corners: "x a multiple of y: jump; partials of the branch with the quotient floor(x/y)",
                xaif: "modulo_scal_scal", intrinsics: &["modulo"],
            };
            /// Positive difference `max(x - y, 0)` (Fortran `dim`).
            PosDiff "dim" Elemental 2..2 Numbers fn dim(x, y) {
                value: "x - y if x > y, otherwise 0", corners: "x = y kink: partials 0, as for x < y",
                xaif: "dim_scal_scal", intrinsics: &["dim", "idim", "ddim"],
            };
            /// Largest whole number not above; real to real.
            Floor "floor" Elemental 1..1 Real fn floor(x) {
                value: "largest whole number not above x", corners: "whole numbers: jump; partial 0", c: "floor",
            };
            /// Smallest whole number not below; real to real.
            Ceil "ceil" Elemental 1..1 Real fn ceil(x) {
                value: "smallest whole number not below x", corners: "whole numbers: jump; partial 0", c: "ceil",
            };
            /// Nearest whole number, ties away from zero; real to real.
            Round "round" Elemental 1..1 Real fn round(x) {
                value: "nearest whole number, ties away from 0", corners: "half of odd numbers: jump; partial 0",
                c: "round",
            };
            /// Whole part; real to real.
            Trunc "trunc" Elemental 1..1 Real fn trunc(x) {
                value: "x without its fraction", corners: "whole numbers but 0: jump; partial 0", c: "trunc",
            };
            /// Sum of integers modulo 2^64, left fold.
            WrapAdd "+%" Elemental 2..255 Integers { value: "x + y of integers modulo 2**64, from the left" };
            /// Difference of integers modulo 2^64.
            WrapSub "-%" Elemental 2..2 Integers { value: "x - y of integers modulo 2**64" };
            /// Negation of an integer modulo 2^64.
            WrapNeg "neg%" Elemental 1..1 Integers { value: "-x of an integer modulo 2**64" };
            /// Product of integers modulo 2^64, left fold.
            WrapMul "*%" Elemental 2..255 Integers { value: "x*y of integers modulo 2**64, from the left" };
            /// Bits that are set in all operands.
            BitAnd "bitand" Elemental 2..255 Integers { value: "integer of the bits that are set in all operands" };
            /// Bits that are set in any operand.
            BitOr "bitor" Elemental 2..255 Integers { value: "integer of the bits that are set in any operand" };
            /// Bits that are set in an odd number of operands.
            BitXor "bitxor" Elemental 2..255 Integers {
                value: "integer of the bits that are set in an odd number of operands",
            };
            /// Each bit inverted: `-1 - x`.
            BitNot "bitnot" Elemental 1..1 Integers { value: "integer with each bit inverted: -1 - x" };
            /// Product with a power of two, checked as `*` is. The count of every shift is read as an unsigned number:
            /// a negative one is beyond the width.
            Shl "<<" Elemental 2..2 Integers {
                value: "x*2**y of integers; a run-time error if it does not fit. The count y of a shift is read as an \
                    unsigned number: a negative one is beyond the width, where this is 0 for x = 0 and an error for \
                    others",
            };
            /// Shift to the left modulo 2^64; by the width or more gives 0.
            WrapShl "<<%" Elemental 2..2 Integers {
                value: "x*2**y of integers modulo 2**64; 0 for y beyond the width (64 or more, or negative)",
            };
            /// Shift to the right that keeps the sign: the quotient by a power of two, rounded down. By the width or
            /// more gives 0 or -1.
            Shr ">>" Elemental 2..2 Integers {
                value: "floor(x/2**y) of integers; for y beyond the width (64 or more, or negative) 0, and -1 of a \
                    negative x",
            };
            /// Shift to the right that fills with zeros; by the width or more gives 0.
            LogicalShr ">>>" Elemental 2..2 Integers {
                value: "the bits of x moved to the right by y, zeros in front; 0 for y beyond the width (64 or more, \
                    or negative)",
            };
            /// Error function.
            Erf "erf" Elemental 1..1 Real fn erf(x) {
                value: "error function", real: unary!(cfg_math::erf, libm::erf, cfg_math::erff, libm::erff), c: "erf",
                intrinsics: &["erf", "derf"],
            };
            /// Complementary error function.
            Erfc "erfc" Elemental 1..1 Real fn erfc(x) {
                value: "1 - erf(x), accurate for large x",
                real: unary!(cfg_math::erfc, libm::erfc, cfg_math::erfcf, libm::erfcf), c: "erfc",
                intrinsics: &["erfc", "derfc"],
            };
            /// Gamma function.
            Gamma "gamma" Elemental 1..1 Real fn gamma(x) {
                value: "gamma function", defined: "x not a pole",
                corners: "0, -1, -2, ... singular: value infinite at 0, NaN at the others; partial NaN or infinite",
                domain: Domain::Poles, real: unary!(cfg_math::tgamma, libm::tgamma, cfg_math::tgammaf, libm::tgammaf),
                c: "tgamma", intrinsics: &["gamma"],
            };
            /// Logarithm of the absolute value of the gamma function.
            Lgamma "lgamma" Elemental 1..1 Real fn lgamma(x) {
                value: "log|gamma(x)|",
                corners: "0, -1, -2, ... singular: value +inf, partial infinite at 0, NaN at the others",
                domain: Domain::Poles, real: unary!(cfg_math::lgamma, libm::lgamma, cfg_math::lgammaf, libm::lgammaf),
                c: "lgamma", intrinsics: &["log_gamma", "lgamma"],
            };
            /// Digamma function, the derivative of `lgamma`.
            Digamma "digamma" Elemental 1..1 Real fn digamma(x) {
                value: "derivative of lgamma", defined: "x not -inf",
                corners: "0, -1, -2, ... singular: value infinite at 0, NaN at the others; partial +inf",
                domain: Domain::Poles, c_text: include_str!("../elemental/digamma.c"),
            };
            /// Polygamma function: `polygamma(n, x)`, n-th derivative of digamma, n a non-negative integer.
            Polygamma "polygamma" Elemental 2..2 Own fn polygamma(n, x) {
                value: "x-th derivative (x integer) of digamma at y", defined: "x >= 0, y not -inf",
                corners: "y = 0, -1, -2, ... singular: +inf for odd x; for even x infinite at 0, NaN at the others",
                domain: Domain::Poles,
            };
            /// Conditional expression `if(condition, then, else)`; evaluates only the chosen one.
            If "if" Elemental 3..3 Own fn cond(condition, yes, no) {
                value: "y if x, otherwise z; only the chosen one is evaluated",
                corners: "the derivative of the chosen one; the condition has none",
            };
            /// Equal.
            Eq "==" Elemental 2..2 Own fn eq(x, y) {
                value: "logical; of reals, logicals or integers", corners: "x = y: jump", xaif: "equal",
                intrinsics: &["equal", "eq", "equivalent", "eqv"],
            };
            /// Not equal.
            Ne "!=" Elemental 2..2 Own fn ne(x, y) {
                value: "logical; of reals, logicals or integers", corners: "x = y: jump", xaif: "not_equal",
                intrinsics: &["not_equal", "ne", "not_equivalent", "neqv", "xor"],
            };
            /// Less.
            Lt "<" Elemental 2..2 Own fn lt(x, y) {
                value: "logical; false if an operand is NaN", corners: "x = y: jump", xaif: "less_than",
                intrinsics: &["less_than", "lt"],
            };
            /// Less or equal.
            Le "<=" Elemental 2..2 Own fn le(x, y) {
                value: "logical; false if an operand is NaN", corners: "x = y: jump", xaif: "less_or_equal",
                intrinsics: &["less_or_equal", "le"],
            };
            /// Greater.
            Gt ">" Elemental 2..2 Own fn gt(x, y) {
                value: "logical; false if an operand is NaN", corners: "x = y: jump", xaif: "greater_than",
                intrinsics: &["greater_than", "gt"],
            };
            /// Greater or equal.
            Ge ">=" Elemental 2..2 Own fn ge(x, y) {
                value: "logical; false if an operand is NaN", corners: "x = y: jump", xaif: "greater_or_equal",
                intrinsics: &["greater_or_equal", "ge"],
            };
            /// Conjunction; evaluates operands left to right until one is false.
            And "and" Elemental 2..255 Logicals fn and(x, y) {
                value: "all, from the left until one is false", xaif: "and", intrinsics: &["and", "land", "cand"],
            };
            /// Disjunction; evaluates operands left to right until one is true.
            Or "or" Elemental 2..255 Logicals fn or(x, y) {
                value: "any, from the left until one is true", xaif: "or", intrinsics: &["or", "lior", "cior"],
            };
            /// Negation of a logical.
            Not "not" Elemental 1..1 Logicals fn not(x) { value: "not x", xaif: "not", intrinsics: &["not", "lnot"] };
            /// Conversion to 64-bit real.
            ToReal "real" Elemental 1..1 Own fn real(x) {
                value: "conversion to 64-bit real; a logical is 0 or 1", xaif: "dble_scal",
            };
            /// Conversion to 32-bit real, rounding to nearest.
            ToReal32 "real32" Elemental 1..1 Own fn real32(x) {
                value: "conversion to 32-bit real, to nearest even", xaif: "real_scal",
            };
            /// Conversion to logical: not 0.
            ToLogical "logical" Elemental 1..1 Own fn logical(x) { value: "x != 0", corners: "x = 0: jump" };
            /// Trip count of a counted loop: `trips(first, last, step)` =
            /// `max(0, floor((last - first + step)/step))`, computed without overflow; step 0 is an error.
            Trips "trips" Elemental 3..3 Own { value: "max(0, floor((y - x + z)/z)); step z = 0 a run-time error" };
            /// Sum of all elements, in storage order.
            Sum "sum" Reduction 1..1 Own fn sum(a) { xaif: "sum_arr" };
            /// Product of all elements, in storage order.
            Product "product" Reduction 1..1 Own fn product(a) { xaif: "product_arr" };
            /// Largest element (-infinity for an empty real array).
            MaxVal "maxval" Reduction 1..1 Own fn maxval(a) { xaif: "nc_maxval" };
            /// Smallest element (+infinity for an empty real array).
            MinVal "minval" Reduction 1..1 Own fn minval(a) { xaif: "nc_minval" };
            /// True if any element is.
            Any "any" Reduction 1..1 Own fn any(a) { xaif: "any_arr" };
            /// True if all elements are.
            All "all" Reduction 1..1 Own fn all(a) { xaif: "all_arr" };
            /// Transposed matrix.
            Transpose "transpose" Transformational 1..1 Own fn transpose(a) { xaif: "transpose_arr" };
            /// Array of these extents, each element the first operand: `fill(value, extent, ...)`. Gives an
            /// array of deferred extents its shape.
            Fill "fill" Transformational 2..16 Own {};
            /// Partials of `product`: at each element, the product of all the others.
            ProductPartial "product_partial" Transformational 1..1 Own {};
            /// Partials of `maxval`: 1 at the first largest element, 0 elsewhere.
            MaxValPartial "maxval_partial" Transformational 1..1 Own {};
            /// Partials of `minval`: 1 at the first smallest element, 0 elsewhere.
            MinValPartial "minval_partial" Transformational 1..1 Own {};
            /// Number of elements: `size(a)` of all, `size(a, k)` along dimension k (a constant, from 1).
            Size "size" Inquiry 1..2 Own fn size(a, k) { xaif: "size" };
            /// Lower bound along dimension k.
            LBound "lbound" Inquiry 2..2 Own fn lbound(a, k) { xaif: "lbound" };
            /// Upper bound along dimension k.
            UBound "ubound" Inquiry 2..2 Own fn ubound(a, k) { xaif: "ubound" };
            /// True if an optional argument was given.
            Present "present" Inquiry 1..1 Own fn present(p) { xaif: "present" };
            /// The pointer k elements behind one: `shift(p, k)`.
            Shift "shift" Pointer 2..2 Own fn shift(p, k) {};
            /// The number of elements that one pointer is behind another into the same object: `distance(p, q)` is k
            /// if p is `shift(q, k)`.
            Distance "distance" Pointer 2..2 Own fn distance(p, q) {};
        }
    };
}

pub(crate) use operator_table;
