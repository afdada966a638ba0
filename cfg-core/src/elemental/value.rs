//! Values over reals.

use super::math::{Binary, Math, Ternary, Unary};
use super::polygamma::{digamma, polygamma};
use crate::ir::Op;

fn neg(x: f64) -> f64 {
    -x
}

/// The elemental function of one real operand; `None` if `op` is not one. `min` and `max` of one operand
/// are the identity.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "operators without a rule of their own here are treated alike"
)]
pub fn unary(op: Op, math: Math) -> Option<Unary> {
    let (native, portable): (Unary, Unary) = match op {
        Op::Neg => (neg, neg),
        Op::Min | Op::Max | Op::ToReal => (std::convert::identity, std::convert::identity),
        Op::ToReal32 => (round_to_32, round_to_32),
        // Exact or correctly rounded by IEEE 754 on every platform.
        Op::Sqrt => (f64::sqrt, f64::sqrt),
        Op::Abs => (f64::abs, f64::abs),
        Op::Floor => (f64::floor, f64::floor),
        Op::Ceil => (f64::ceil, f64::ceil),
        Op::Round => (f64::round, f64::round),
        Op::Trunc => (f64::trunc, f64::trunc),
        Op::Cbrt => (|x| cfg_math::cbrt(x), libm::cbrt),
        Op::Exp => (f64::exp, libm::exp),
        Op::Expm1 => (f64::exp_m1, libm::expm1),
        Op::Log => (f64::ln, libm::log),
        Op::Log1p => (f64::ln_1p, libm::log1p),
        Op::Log2 => (f64::log2, libm::log2),
        Op::Log10 => (f64::log10, libm::log10),
        Op::Sin => (f64::sin, libm::sin),
        Op::Cos => (f64::cos, libm::cos),
        Op::Tan => (f64::tan, libm::tan),
        Op::Asin => (f64::asin, libm::asin),
        Op::Acos => (f64::acos, libm::acos),
        Op::Atan => (f64::atan, libm::atan),
        Op::Sinh => (f64::sinh, libm::sinh),
        Op::Cosh => (f64::cosh, libm::cosh),
        Op::Tanh => (f64::tanh, libm::tanh),
        Op::Asinh => (|x| cfg_math::asinh(x), libm::asinh),
        Op::Acosh => (|x| cfg_math::acosh(x), acosh),
        Op::Atanh => (|x| cfg_math::atanh(x), libm::atanh),
        Op::Erf => (|x| cfg_math::erf(x), libm::erf),
        Op::Erfc => (|x| cfg_math::erfc(x), libm::erfc),
        Op::Gamma => (|x| cfg_math::tgamma(x), libm::tgamma),
        Op::Lgamma => (cfg_math::lgamma, libm::lgamma),
        Op::Digamma => (digamma(Math::Native), digamma(Math::Portable)),
        _ => return None,
    };
    Some(math.choose(native, portable))
}

/// The elemental function, as in [`unary`], of one 32-bit real: what is neither exact nor correctly rounded is C's
/// function for `float`, which is not that for `double`, rounded. Results are 32-bit reals.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "operators without functions of their own for 32-bit reals"
)]
pub fn unary32(op: Op, math: Math) -> Option<Unary> {
    let (native, portable): (Unary, Unary) = match op {
        Op::Cbrt => (
            |x| single(x, |x| cfg_math::cbrtf(x)),
            |x| single(x, libm::cbrtf),
        ),
        Op::Exp => (|x| single(x, f32::exp), |x| single(x, libm::expf)),
        Op::Expm1 => (|x| single(x, f32::exp_m1), |x| single(x, libm::expm1f)),
        Op::Log => (|x| single(x, f32::ln), |x| single(x, libm::logf)),
        Op::Log1p => (|x| single(x, f32::ln_1p), |x| single(x, libm::log1pf)),
        Op::Log2 => (|x| single(x, f32::log2), |x| single(x, libm::log2f)),
        Op::Log10 => (|x| single(x, f32::log10), |x| single(x, libm::log10f)),
        Op::Sin => (|x| single(x, f32::sin), |x| single(x, libm::sinf)),
        Op::Cos => (|x| single(x, f32::cos), |x| single(x, libm::cosf)),
        Op::Tan => (|x| single(x, f32::tan), |x| single(x, libm::tanf)),
        Op::Asin => (|x| single(x, f32::asin), |x| single(x, libm::asinf)),
        Op::Acos => (|x| single(x, f32::acos), |x| single(x, libm::acosf)),
        Op::Atan => (|x| single(x, f32::atan), |x| single(x, libm::atanf)),
        Op::Sinh => (|x| single(x, f32::sinh), |x| single(x, libm::sinhf)),
        Op::Cosh => (|x| single(x, f32::cosh), |x| single(x, libm::coshf)),
        Op::Tanh => (|x| single(x, f32::tanh), |x| single(x, libm::tanhf)),
        Op::Asinh => (
            |x| single(x, |x| cfg_math::asinhf(x)),
            |x| single(x, libm::asinhf),
        ),
        Op::Acosh => (
            |x| single(x, |x| cfg_math::acoshf(x)),
            |x| single(x, acoshf),
        ),
        Op::Atanh => (
            |x| single(x, |x| cfg_math::atanhf(x)),
            |x| single(x, libm::atanhf),
        ),
        Op::Erf => (
            |x| single(x, |x| cfg_math::erff(x)),
            |x| single(x, libm::erff),
        ),
        Op::Erfc => (
            |x| single(x, |x| cfg_math::erfcf(x)),
            |x| single(x, libm::erfcf),
        ),
        Op::Gamma => (
            |x| single(x, |x| cfg_math::tgammaf(x)),
            |x| single(x, libm::tgammaf),
        ),
        Op::Lgamma => (
            |x| single(x, cfg_math::lgammaf),
            |x| single(x, libm::lgammaf),
        ),
        Op::Digamma => (
            |x| round_to_32(digamma(Math::Native)(x)),
            |x| round_to_32(digamma(Math::Portable)(x)),
        ),
        _ => return unary(op, math),
    };
    Some(math.choose(native, portable))
}

/// The elemental function, as in [`binary`], of two 32-bit reals; see [`unary32`]. Its value is to be rounded.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "operators without functions of their own for 32-bit reals"
)]
pub fn binary32(op: Op, math: Math) -> Option<Binary> {
    let (native, portable): (Binary, Binary) = match op {
        Op::Pow => (
            |x, y| single2(x, y, f32::powf),
            |x, y| single2(x, y, libm::powf),
        ),
        Op::Atan2 => (
            |x, y| single2(x, y, f32::atan2),
            |x, y| single2(x, y, libm::atan2f),
        ),
        Op::Hypot => (
            |x, y| single2(x, y, f32::hypot),
            |x, y| single2(x, y, libm::hypotf),
        ),
        _ => return binary(op, math),
    };
    Some(math.choose(native, portable))
}

fn single(x: f64, f: fn(f32) -> f32) -> f64 {
    f64::from(f(x as f32))
}
fn single2(x: f64, y: f64, f: fn(f32, f32) -> f32) -> f64 {
    f64::from(f(x as f32, y as f32))
}

/// The elemental function of two real operands; `None` if `op` is not one. `+ * min max` of more
/// operands are left folds of these. `**` is the power with a real exponent (IEEE 754 `pow`); with an
/// integer one it is [`powi`]. `polygamma`, whose first operand is an integer, is
/// [`polygamma()`](super::polygamma()).
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "operators without a rule of their own here are treated alike"
)]
pub fn binary(op: Op, math: Math) -> Option<Binary> {
    let (native, portable): (Binary, Binary) = match op {
        Op::Add => (add, add),
        Op::Sub => (sub, sub),
        Op::Mul => (mul, mul),
        Op::Div => (div, div),
        Op::StrongMul => (strong_mul, strong_mul),
        Op::Min => (min, min),
        Op::Max => (max, max),
        Op::Sign => (f64::copysign, f64::copysign),
        Op::Mod => (remainder, remainder),
        Op::Modulo => (modulo, modulo),
        Op::PosDiff => (pos_diff, pos_diff),
        Op::Pow => (f64::powf, libm::pow),
        Op::Atan2 => (f64::atan2, libm::atan2),
        Op::Hypot => (f64::hypot, libm::hypot),
        _ => return None,
    };
    Some(math.choose(native, portable))
}

/// The elemental function of three real operands: `fma`. `None` if `op` is not one.
pub fn ternary(op: Op, math: Math) -> Option<Ternary> {
    match (op, math) {
        (Op::Fma, Math::Native) => Some(f64::mul_add),
        (Op::Fma, Math::Portable) => Some(libm::fma),
        _ => None,
    }
}

/// `fma` over 32-bit reals, rounded once.
pub fn fma32(math: Math) -> fn(f32, f32, f32) -> f32 {
    match math {
        Math::Native => f32::mul_add,
        Math::Portable => libm::fmaf,
    }
}

/// The comparison of two reals; `None` if `op` is not a comparison. All but `!=` are false if an operand
/// is NaN.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "operators without a rule of their own here are treated alike"
)]
pub fn compare(op: Op) -> Option<fn(&f64, &f64) -> bool> {
    Some(match op {
        Op::Eq => PartialEq::eq,
        Op::Ne => PartialEq::ne,
        Op::Lt => PartialOrd::lt,
        Op::Le => PartialOrd::le,
        Op::Gt => PartialOrd::gt,
        Op::Ge => PartialOrd::ge,
        _ => return None,
    })
}

/// `libm`'s gives numbers for some operands below -2.
fn acosh(x: f64) -> f64 {
    if x < 1.0 { f64::NAN } else { libm::acosh(x) }
}
fn acoshf(x: f32) -> f32 {
    if x < 1.0 { f32::NAN } else { libm::acoshf(x) }
}
fn round_to_32(x: f64) -> f64 {
    f64::from(x as f32)
}
fn add(x: f64, y: f64) -> f64 {
    x + y
}
fn sub(x: f64, y: f64) -> f64 {
    x - y
}
fn mul(x: f64, y: f64) -> f64 {
    x * y
}
fn div(x: f64, y: f64) -> f64 {
    x / y
}

fn strong_mul(d: f64, p: f64) -> f64 {
    if d == 0.0 { 0.0 } else { d * p }
}

/// The first of equal operands (so of -0 and +0); NaN if either is.
fn min(x: f64, y: f64) -> f64 {
    if x <= y || x.is_nan() { x } else { y }
}

/// The first of equal operands (so of -0 and +0); NaN if either is.
fn max(x: f64, y: f64) -> f64 {
    if x >= y || x.is_nan() { x } else { y }
}

/// C `fmod`, which is exact: a zero result has the sign of `x`; NaN for y = 0 or infinite x.
fn remainder(x: f64, y: f64) -> f64 {
    x % y
}

/// Remainder with the sign of `y`, also when it is zero.
fn modulo(x: f64, y: f64) -> f64 {
    let r = x % y;
    if r == 0.0 {
        r.copysign(y)
    } else if (r < 0.0) != (y < 0.0) {
        r + y
    } else {
        r
    }
}

/// `x - y` where x > y, +0 elsewhere; NaN if either is.
fn pos_diff(x: f64, y: f64) -> f64 {
    if x <= y { 0.0 } else { x - y }
}

/// Real base, integer exponent.
///
/// For |n| ≤ 64 the value is *defined* as right-to-left binary powering (Knuth, The Art of Computer
/// Programming 2, 4.6.3, Algorithm A), so it is the same on every platform: `x**2` is `x*x`, `x**3` is
/// `x*(x*x)`, `x**-n` is `1/x**n` if `x**n` neither underflows nor overflows. Otherwise it is `pow(|x|, n)`
/// with the sign of `x` if n is odd. `x**0` is 1, also for NaN; `0**-n` is infinite.
pub fn powi(math: Math) -> fn(f64, i64) -> f64 {
    match math {
        Math::Native => |x, n| powi_by(x, n, f64::powf),
        Math::Portable => |x, n| powi_by(x, n, libm::pow),
    }
}

/// Largest magnitude of an exponent for which binary powering is used: its error grows with the
/// exponent, up to about 64 units in the last place here.
const MOST_MULTIPLICATIONS: u64 = 64;

#[inline(always)]
fn powi_by(x: f64, n: i64, pow: Binary) -> f64 {
    let mut m = n.unsigned_abs();
    if m <= MOST_MULTIPLICATIONS {
        let (mut power, mut square) = (1.0, x);
        while m > 0 {
            if m % 2 == 1 {
                power *= square;
            }
            m /= 2;
            if m > 0 {
                square *= square;
            }
        }
        if n >= 0 {
            return power;
        }
        if power.is_normal() {
            return 1.0 / power;
        }
    }
    let magnitude = pow(x.abs(), n as f64);
    if n % 2 == 0 {
        magnitude
    } else {
        magnitude.copysign(x)
    }
}

/// The value of an elemental operator over reals, folding n-ary ones; `None` if the operator has no
/// value of this kind (comparisons, conversions, wrong number of operands). `polygamma` takes
/// its integer as a real. For interpreters and tests; hot loops use [`unary`] and its relatives.
pub fn value_real(op: Op, args: &[f64], math: Math) -> Option<f64> {
    match *args {
        [x] => unary(op, math).map(|f| f(x)),
        [n, x] if op == Op::Polygamma => Some(polygamma(math)(n as i64, x)),
        [x, y] => binary(op, math).map(|f| f(x, y)),
        [x, y, z] if op == Op::Fma => ternary(op, math).map(|f| f(x, y, z)),
        [first, ref rest @ ..] if op.arity().1 == usize::MAX => {
            let f = binary(op, math)?;
            Some(rest.iter().fold(first, |x, &y| f(x, y)))
        }
        _ => None,
    }
}

/// The value, as in [`value_real`], of an operator over 32-bit reals: rounded after each step.
pub fn value_real32(op: Op, args: &[f32], math: Math) -> Option<f32> {
    match *args {
        [x, y, z] if op == Op::Fma => Some(fma32(math)(x, y, z)),
        [first, ref rest @ ..] if rest.len() > 1 => {
            let f = binary32(op, math).filter(|_| op.arity().1 == usize::MAX)?;
            Some(
                rest.iter()
                    .fold(first, |x, &y| f(f64::from(x), f64::from(y)) as f32),
            )
        }
        [x] => Some(unary32(op, math)?(f64::from(x)) as f32),
        [n, x] if op == Op::Polygamma => Some(polygamma(math)(n as i64, f64::from(x)) as f32),
        [x, y] => Some(binary32(op, math)?(f64::from(x), f64::from(y)) as f32),
        _ => None,
    }
}
