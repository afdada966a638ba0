//! The table in words.

use crate::ir::{Conversion, Op, OpClass};

/// The documentation of an elemental operator, all but its partials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Description {
    /// The value, as a formula or in words; operands are x, y, z.
    pub value: &'static str,
    /// Real operands for which the value is defined (elsewhere it is NaN); empty: all.
    pub domain: &'static str,
    /// The behaviour at kinks, jumps and singular points; empty: there are none.
    pub corners: &'static str,
}

/// True if the value may differ in the last places from platform to platform with
/// [`Math::Native`](super::Math::Native). Everything else has the same bits everywhere. (`**` with an
/// integer exponent of at most 64 in magnitude too.)
pub fn platform_dependent(op: Op) -> bool {
    matches!(
        op,
        Op::Cbrt
            | Op::Exp
            | Op::Expm1
            | Op::Log
            | Op::Log1p
            | Op::Log2
            | Op::Log10
            | Op::Sin
            | Op::Cos
            | Op::Tan
            | Op::Asin
            | Op::Acos
            | Op::Atan
            | Op::Atan2
            | Op::Sinh
            | Op::Cosh
            | Op::Tanh
            | Op::Asinh
            | Op::Acosh
            | Op::Atanh
            | Op::Hypot
            | Op::Pow
            | Op::Erf
            | Op::Erfc
            | Op::Gamma
            | Op::Lgamma
            | Op::Digamma
            | Op::Polygamma
    )
}

/// The description of an elemental operator; `None` for the others.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "operators without a rule of their own here are treated alike"
)]
pub fn describe(op: Op) -> Option<Description> {
    let (value, domain, corners) = match op {
        Op::Add => ("x + y, from the left", "", ""),
        Op::Sub => ("x - y", "", ""),
        Op::Neg => ("-x", "", ""),
        Op::Mul => ("x*y, from the left", "", ""),
        Op::Div => (
            "x/y; of integers truncated toward zero, by 0 a run-time error",
            "",
            "y = 0 singular: IEEE infinities and NaN",
        ),
        Op::Pow => (
            "x**y. Integer exponent: binary powering up to magnitude 64, beyond by `pow`; x**0 = 1 even \
             for NaN. Real exponent: IEEE 754 `pow`. Both integers: exact; negative exponent truncated \
             (0, 1, -1), 0 to a negative power a run-time error",
            "real exponent: x >= 0, or y whole",
            "x = 0: partial by x is 0 for y = 0, 1 for y = 1, 0 for y > 1, infinite for 0 < y < 1; partial by y is 0 for \
             y > 0. y < 0 singular. x < 0: partial by y is NaN, none exists",
        ),
        Op::StrongMul => (
            "0 if x = 0, otherwise x*y",
            "",
            "where x = 0 the partial by y is 0 and cancels any derivative, infinite or NaN ones too",
        ),
        Op::Fma => ("x*y + z, rounded once", "", ""),
        Op::Sqrt => (
            "square root, correctly rounded",
            "x >= 0",
            "x = 0 singular: partial +inf (at -0 -inf)",
        ),
        Op::Cbrt => ("cube root", "", "x = 0 singular: partial +inf"),
        Op::Exp => ("exponential", "", ""),
        Op::Expm1 => ("exp(x) - 1, accurate near 0", "", ""),
        Op::Log => (
            "natural logarithm",
            "x >= 0",
            "x = 0 singular: value -inf, partial infinite",
        ),
        Op::Log1p => (
            "log(1 + x), accurate near 0",
            "x >= -1",
            "x = -1 singular: value -inf, partial +inf",
        ),
        Op::Log2 => (
            "logarithm to base 2",
            "x >= 0",
            "x = 0 singular: value -inf, partial infinite",
        ),
        Op::Log10 => (
            "logarithm to base 10",
            "x >= 0",
            "x = 0 singular: value -inf, partial infinite",
        ),
        Op::Sin => ("sine", "x finite", ""),
        Op::Cos => ("cosine", "x finite", ""),
        Op::Tan => ("tangent", "x finite", ""),
        Op::Asin => ("inverse sine", "|x| <= 1", "|x| = 1 singular: partial +inf"),
        Op::Acos => (
            "inverse cosine",
            "|x| <= 1",
            "|x| = 1 singular: partial -inf",
        ),
        Op::Atan => ("inverse tangent", "", ""),
        Op::Atan2 => (
            "angle of the point with ordinate x and abscissa y, in [-pi, pi]",
            "",
            "(0, 0) singular: partials NaN. x = 0, y < 0: the value jumps by 2 pi, partials are those of either side",
        ),
        Op::Sinh => ("hyperbolic sine", "", ""),
        Op::Cosh => ("hyperbolic cosine", "", ""),
        Op::Tanh => ("hyperbolic tangent", "", ""),
        Op::Asinh => ("inverse hyperbolic sine", "", ""),
        Op::Acosh => (
            "inverse hyperbolic cosine",
            "x >= 1",
            "x = 1 singular: partial +inf",
        ),
        Op::Atanh => (
            "inverse hyperbolic tangent",
            "|x| <= 1",
            "|x| = 1 singular: value and partial infinite",
        ),
        Op::Hypot => (
            "sqrt(x**2 + y**2), without undue overflow; infinite if either is, even with NaN",
            "",
            "(0, 0) singular: partials NaN",
        ),
        Op::Abs => (
            "absolute value",
            "",
            "x = 0 (either sign) kink: partial 1, as for x > 0",
        ),
        Op::Min => (
            "smallest; the first of equal ones (also of -0 and +0); NaN if any is",
            "",
            "equal operands kink: the first has partial 1, the others 0; of NaN: the last operand has 1",
        ),
        Op::Max => (
            "largest; the first of equal ones (also of -0 and +0); NaN if any is",
            "",
            "equal operands kink: the first has partial 1, the others 0; of NaN: the last operand has 1",
        ),
        Op::Sign => (
            "|x| with the sign of y, -0 counting as negative; of integers, 0 counts as positive",
            "",
            "x = 0 kink: slope of x > 0, so 1 with the sign of y. y = 0: jump, partial by y stays 0",
        ),
        Op::Mod => (
            "x - y*trunc(x/y), exact; the sign of x, also if zero; by the integer 0 a run-time error",
            "y not 0, x finite",
            "x a multiple of y, not 0: jump; partials of the branch with the quotient trunc(x/y)",
        ),
        Op::Modulo => (
            "x - y*floor(x/y); the sign of y, also if zero; by the integer 0 a run-time error",
            "y not 0, x finite",
            "x a multiple of y: jump; partials of the branch with the quotient floor(x/y)",
        ),
        Op::PosDiff => (
            "x - y if x > y, otherwise 0",
            "",
            "x = y kink: partials 0, as for x < y",
        ),
        Op::Floor => (
            "largest whole number not above x",
            "",
            "whole numbers: jump; partial 0",
        ),
        Op::Ceil => (
            "smallest whole number not below x",
            "",
            "whole numbers: jump; partial 0",
        ),
        Op::Round => (
            "nearest whole number, ties away from 0",
            "",
            "half of odd numbers: jump; partial 0",
        ),
        Op::Trunc => (
            "x without its fraction",
            "",
            "whole numbers but 0: jump; partial 0",
        ),
        Op::WrapAdd => ("x + y of integers modulo 2**64, from the left", "", ""),
        Op::WrapSub => ("x - y of integers modulo 2**64", "", ""),
        Op::WrapNeg => ("-x of an integer modulo 2**64", "", ""),
        Op::WrapMul => ("x*y of integers modulo 2**64, from the left", "", ""),
        Op::BitAnd => ("integer of the bits that are set in all operands", "", ""),
        Op::BitOr => ("integer of the bits that are set in any operand", "", ""),
        Op::BitXor => (
            "integer of the bits that are set in an odd number of operands",
            "",
            "",
        ),
        Op::BitNot => ("integer with each bit inverted: -1 - x", "", ""),
        Op::Shl => (
            "x*2**y of integers; a run-time error if it does not fit. The count y of a shift is read as an unsigned \
             number: a negative one is beyond the width, where this is 0 for x = 0 and an error for others",
            "",
            "",
        ),
        Op::WrapShl => (
            "x*2**y of integers modulo 2**64; 0 for y beyond the width (64 or more, or negative)",
            "",
            "",
        ),
        Op::Shr => (
            "floor(x/2**y) of integers; for y beyond the width (64 or more, or negative) 0, and -1 of a negative x",
            "",
            "",
        ),
        Op::LogicalShr => (
            "the bits of x moved to the right by y, zeros in front; 0 for y beyond the width (64 or more, or negative)",
            "",
            "",
        ),
        Op::Erf => ("error function", "", ""),
        Op::Erfc => ("1 - erf(x), accurate for large x", "", ""),
        Op::Gamma => (
            "gamma function",
            "x not a pole",
            "0, -1, -2, ... singular: value infinite at 0, NaN at the others; partial NaN or infinite",
        ),
        Op::Lgamma => (
            "log|gamma(x)|",
            "",
            "0, -1, -2, ... singular: value +inf, partial infinite at 0, NaN at the others",
        ),
        Op::Digamma => (
            "derivative of lgamma",
            "x not -inf",
            "0, -1, -2, ... singular: value infinite at 0, NaN at the others; partial +inf",
        ),
        Op::Polygamma => (
            "x-th derivative (x integer) of digamma at y",
            "x >= 0, y not -inf",
            "y = 0, -1, -2, ... singular: +inf for odd x; for even x infinite at 0, NaN at the others",
        ),
        Op::If => (
            "y if x, otherwise z; only the chosen one is evaluated",
            "",
            "the derivative of the chosen one; the condition has none",
        ),
        Op::Eq | Op::Ne => ("logical; of reals, logicals or integers", "", "x = y: jump"),
        Op::Lt | Op::Le | Op::Gt | Op::Ge => {
            ("logical; false if an operand is NaN", "", "x = y: jump")
        }
        Op::And => ("all, from the left until one is false", "", ""),
        Op::Or => ("any, from the left until one is true", "", ""),
        Op::Not => ("not x", "", ""),
        Op::ToReal => ("conversion to 64-bit real; a logical is 0 or 1", "", ""),
        Op::ToReal32 => ("conversion to 32-bit real, to nearest even", "", ""),
        Op::TO_INT => (
            "whole part as an integer; a run-time error if it does not fit; a logical is 0 or 1",
            "|x| < 2**63",
            "whole numbers but 0: jump; partial 0",
        ),
        Op::ToLogical => ("x != 0", "", "x = 0: jump"),
        Op::Trips => (
            "max(0, floor((y - x + z)/z)); step z = 0 a run-time error",
            "",
            "",
        ),
        Op::Convert(how, _) => match how {
            Conversion::To => (
                "whole part as an integer of the type; a run-time error if it does not fit; a logical is 0 or 1",
                "",
                "whole numbers but 0: jump; partial 0",
            ),
            Conversion::Wrap => ("integer modulo 2 to the bits of the type", "", ""),
            Conversion::Saturate => (
                "whole part as the nearest integer of the type; 0 of NaN; a logical is 0 or 1",
                "",
                "whole numbers but 0: jump; partial 0",
            ),
        },
        _ => {
            debug_assert!(op.class() != OpClass::Elemental);
            return None;
        }
    };
    Some(Description {
        value,
        domain,
        corners,
    })
}
