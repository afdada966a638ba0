//! Values over reals.

use super::math::{Binary, Math, Ternary, Unary};
use super::polygamma::{digamma, polygamma};
use crate::ir::{Op, RealFunctions};

fn neg(x: f64) -> f64 {
    -x
}

/// The elemental function of one real operand; `None` if `op` is not one. `min` and `max` of one operand
/// are the identity.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the functions of all other operators are in their table"
)]
pub fn unary(op: Op, math: Math) -> Option<Unary> {
    Some(match op {
        Op::Neg => neg,
        Op::Min | Op::Max | Op::ToReal => std::convert::identity,
        Op::ToReal32 => round_to_32,
        // Exact or correctly rounded by IEEE 754 on every platform.
        Op::Sqrt => f64::sqrt,
        Op::Abs => f64::abs,
        Op::Floor => f64::floor,
        Op::Ceil => f64::ceil,
        Op::Round => f64::round,
        Op::Trunc => f64::trunc,
        Op::Digamma => digamma(math),
        _ => match op.info().real {
            RealFunctions::Unary { wide, .. } => math.choose(wide),
            RealFunctions::Binary { .. } | RealFunctions::Elsewhere => return None,
        },
    })
}

/// The elemental function, as in [`unary`], of one 32-bit real; results are 32-bit reals. Functions that are neither
/// exact nor correctly rounded are C's for `float`, whose values differ from rounded ones of `double`.
pub fn unary32(op: Op, math: Math) -> Option<Unary> {
    match (op, op.info().real) {
        (_, RealFunctions::Unary { narrow, .. }) => Some(math.choose(narrow)),
        (Op::Digamma, _) => Some(math.choose([
            |x| round_to_32(digamma(Math::Native)(x)),
            |x| round_to_32(digamma(Math::Portable)(x)),
        ])),
        (_, RealFunctions::Binary { .. } | RealFunctions::Elsewhere) => unary(op, math),
    }
}

/// The elemental function, as in [`binary`], of two 32-bit reals; see [`unary32`]. The caller rounds its value.
pub fn binary32(op: Op, math: Math) -> Option<Binary> {
    match op.info().real {
        RealFunctions::Binary { narrow, .. } => Some(math.choose(narrow)),
        RealFunctions::Unary { .. } | RealFunctions::Elsewhere => binary(op, math),
    }
}

/// True if the value may differ in the last places from platform to platform with [`Math::Native`]. All other
/// operators have the same bits everywhere. (`**` with an integer exponent of at most 64 in magnitude too.)
pub fn platform_dependent(op: Op) -> bool {
    let elsewhere = matches!(op.info().real, RealFunctions::Elsewhere);
    !elsewhere || matches!(op, Op::Digamma | Op::Polygamma)
}

/// The elemental function of two real operands; `None` if `op` is not one. `+ * min max` of more
/// operands are left folds of these. `**` is the power with a real exponent (IEEE 754 `pow`); with an
/// integer one it is [`powi`]. `polygamma`, whose first operand is an integer, is
/// [`polygamma()`](super::polygamma()).
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the functions of all other operators are in their table"
)]
pub fn binary(op: Op, math: Math) -> Option<Binary> {
    Some(match op {
        Op::Add => add,
        Op::Sub => sub,
        Op::Mul => mul,
        Op::Div => div,
        Op::StrongMul => strong_mul,
        Op::Min => min,
        Op::Max => max,
        Op::Sign => f64::copysign,
        Op::Mod => remainder,
        Op::Modulo => modulo,
        Op::PosDiff => pos_diff,
        _ => match op.info().real {
            RealFunctions::Binary { wide, .. } => math.choose(wide),
            RealFunctions::Unary { .. } | RealFunctions::Elsewhere => return None,
        },
    })
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

/// Remainder with the sign of `y`; a zero remainder has that sign too.
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
