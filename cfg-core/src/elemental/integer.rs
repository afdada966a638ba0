//! 64-bit integer arithmetic, checked and modulo 2^64, operations on bits, and conversions.

use crate::ir::{AnyInt, Conversion, IntType, Op};

/// An arithmetic operation that has no value: a run-time error of the program.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ArithmeticError {
    /// The result does not fit in 64 bits, or in the bits of its type.
    #[error("integer overflow: the result does not fit in 64 bits")]
    Overflow,
    /// Division or remainder by the integer 0, or 0 to a negative integer power.
    #[error("integer division by zero")]
    DivisionByZero,
    /// Conversion of a NaN, an infinity or a number beyond the type's range to integer.
    #[error("{0} is not representable as a 64-bit integer")]
    NotRepresentable(f64),
    /// `trips` with step 0.
    #[error("the step of a counted loop is 0")]
    ZeroStep,
    /// The number or the types of the operands do not fit the operator.
    #[error("`{}` does not apply to operands of these types", .0.name())]
    Operands(Op),
}

use ArithmeticError::{DivisionByZero, NotRepresentable, Overflow, ZeroStep};

/// A checked function of one integer.
pub type UnaryInt = fn(i64) -> Result<i64, ArithmeticError>;
/// A checked function of two integers.
pub type BinaryInt = fn(i64, i64) -> Result<i64, ArithmeticError>;

/// The function of one integer operand with an integer value: `neg`, `neg%`, `abs`, `bitnot`, `int`, `min`, `max`.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "operators without a rule of their own here are treated alike"
)]
pub fn unary(op: Op) -> Option<UnaryInt> {
    Some(match op {
        Op::Neg => |x| x.checked_neg().ok_or(Overflow),
        Op::WrapNeg => |x| Ok(x.wrapping_neg()),
        Op::BitNot => |x| Ok(!x),
        Op::Abs => |x| x.checked_abs().ok_or(Overflow),
        Op::TO_INT | Op::Min | Op::Max => Ok,
        _ => return None,
    })
}

/// The function of two integer operands with an integer value. `/` truncates toward zero, `mod` has the
/// sign of the dividend and `modulo` that of the divisor; `**` with a negative exponent is the
/// truncated quotient 1/x**n: 0, 1 or -1, an error for x = 0. Shifts read their count as an unsigned number.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "operators without a rule of their own here are treated alike"
)]
pub fn binary(op: Op) -> Option<BinaryInt> {
    Some(match op {
        Op::Add => |x, y| x.checked_add(y).ok_or(Overflow),
        Op::Sub => |x, y| x.checked_sub(y).ok_or(Overflow),
        Op::Mul => |x, y| x.checked_mul(y).ok_or(Overflow),
        Op::Div => div,
        Op::Pow => pow,
        Op::Min => |x, y| Ok(x.min(y)),
        Op::Max => |x, y| Ok(x.max(y)),
        Op::Sign => sign,
        Op::Mod => remainder,
        Op::Modulo => modulo,
        Op::PosDiff => pos_diff,
        Op::WrapAdd => |x, y| Ok(x.wrapping_add(y)),
        Op::WrapSub => |x, y| Ok(x.wrapping_sub(y)),
        Op::WrapMul => |x, y| Ok(x.wrapping_mul(y)),
        Op::BitAnd => |x, y| Ok(x & y),
        Op::BitOr => |x, y| Ok(x | y),
        Op::BitXor => |x, y| Ok(x ^ y),
        Op::Shl => shift_left,
        Op::WrapShl => |x, n| Ok(count(n).map_or(0, |n| x << n)),
        Op::Shr => |x, n| Ok(x >> count(n).unwrap_or(63)),
        Op::LogicalShr => |x, n| Ok(count(n).map_or(0, |n| ((x as u64) >> n) as i64)),
        _ => return None,
    })
}

/// The comparison of two integers; `None` if `op` is not a comparison.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "operators without a rule of their own here are treated alike"
)]
pub fn compare(op: Op) -> Option<fn(&i64, &i64) -> bool> {
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

/// The count of a shift, `None` of one beyond the width: 64 or more, or negative.
fn count(n: i64) -> Option<u32> {
    u32::try_from(n).ok().filter(|&n| n < 64)
}

fn shift_left(x: i64, n: i64) -> Result<i64, ArithmeticError> {
    let shifted = count(n).map_or(0, |n| x << n);
    // Bits that are shifted out, or into the sign, do not come back.
    let back = count(n).map_or(0, |n| shifted >> n);
    if back == x {
        Ok(shifted)
    } else {
        Err(Overflow)
    }
}

fn div(x: i64, y: i64) -> Result<i64, ArithmeticError> {
    if y == 0 {
        return Err(DivisionByZero);
    }
    x.checked_div(y).ok_or(Overflow)
}

fn remainder(x: i64, y: i64) -> Result<i64, ArithmeticError> {
    if y == 0 {
        return Err(DivisionByZero);
    }
    // The least integer modulo -1 overflows in the machine, but is 0.
    Ok(x.wrapping_rem(y))
}

fn modulo(x: i64, y: i64) -> Result<i64, ArithmeticError> {
    let r = remainder(x, y)?;
    // r and y have opposite signs, so the sum cannot overflow.
    Ok(if r != 0 && (r < 0) != (y < 0) {
        r + y
    } else {
        r
    })
}

fn sign(x: i64, y: i64) -> Result<i64, ArithmeticError> {
    if (x < 0) == (y < 0) {
        Ok(x)
    } else {
        x.checked_neg().ok_or(Overflow)
    }
}

fn pos_diff(x: i64, y: i64) -> Result<i64, ArithmeticError> {
    if x <= y {
        Ok(0)
    } else {
        x.checked_sub(y).ok_or(Overflow)
    }
}

fn pow(x: i64, n: i64) -> Result<i64, ArithmeticError> {
    match (x, u32::try_from(n)) {
        (_, Ok(n)) => x.checked_pow(n).ok_or(Overflow),
        (0, Err(_)) if n < 0 => Err(DivisionByZero),
        (0 | 1, Err(_)) => Ok(x),
        (-1, Err(_)) => Ok(if n % 2 == 0 { 1 } else { -1 }),
        (_, Err(_)) if n < 0 => Ok(0),
        _ => Err(Overflow),
    }
}

/// `int(x)`: the whole part.
pub fn from_real(x: f64) -> Result<i64, ArithmeticError> {
    /// 2**63, the first number that does not fit; its negative does.
    const BOUND: f64 = 9_223_372_036_854_775_808.0;
    if (-BOUND..BOUND).contains(&x) {
        Ok(x as i64)
    } else {
        Err(NotRepresentable(x))
    }
}

/// Trip count of a counted loop: `max(0, floor((last - first + step)/step))`. An error if the step is 0
/// or the count does not fit in 64 bits.
pub fn trips(first: i64, last: i64, step: i64) -> Result<i64, ArithmeticError> {
    if step == 0 {
        return Err(ZeroStep);
    }
    if (step > 0 && first > last) || (step < 0 && first < last) {
        return Ok(0);
    }
    i64::try_from(last.abs_diff(first) / step.unsigned_abs())
        .ok()
        .and_then(|n| n.checked_add(1))
        .ok_or(Overflow)
}

/// The operators of one operand over the integer types beside `integer`, on cells (see [`IntType`]).
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "operators without a rule of their own here are treated alike"
)]
pub fn sized_unary(op: Op, ty: IntType, cell: i64) -> Result<i64, ArithmeticError> {
    let x = ty.value(cell);
    let value = match op {
        Op::Neg => -x,
        Op::WrapNeg => return Ok(ty.wrap(-x)),
        Op::BitNot => return Ok(ty.wrap(!x)),
        Op::Abs => x.abs(),
        Op::Min | Op::Max => x,
        _ => return Err(ArithmeticError::Operands(op)),
    };
    ty.cell(value).ok_or(Overflow)
}

/// The operators of two operands over the integer types beside `integer`, on cells (see [`IntType`]). Values are
/// computed in 128 bits, where only products and powers can overflow.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "operators without a rule of their own here are treated alike"
)]
pub fn sized_binary(op: Op, ty: IntType, x: i64, y: i64) -> Result<i64, ArithmeticError> {
    let (a, b) = (ty.value(x), ty.value(y));
    let bits = i128::from(ty.bits());
    // The count is read as an unsigned number of the type's width, so that a negative one is beyond the width.
    let count = (0..bits).contains(&b).then_some(b as u32);
    let value = match op {
        Op::Add => a + b,
        Op::Sub => a - b,
        Op::Mul => a.checked_mul(b).ok_or(Overflow)?,
        Op::Div | Op::Mod | Op::Modulo if b == 0 => return Err(DivisionByZero),
        Op::Div => a / b,
        Op::Mod => a % b,
        Op::Modulo => match a % b {
            r if r != 0 && (r < 0) != (b < 0) => r + b,
            r => r,
        },
        Op::Pow => wide_pow(a, b)?,
        Op::Min => a.min(b),
        Op::Max => a.max(b),
        Op::Sign if (a < 0) == (b < 0) => a,
        Op::Sign => -a,
        Op::PosDiff => (a - b).max(0),
        Op::WrapAdd => return Ok(ty.wrap(a + b)),
        Op::WrapSub => return Ok(ty.wrap(a - b)),
        Op::WrapMul => return Ok(ty.wrap(a.wrapping_mul(b))),
        Op::BitAnd => return Ok(x & y),
        Op::BitOr => return Ok(x | y),
        Op::BitXor => return Ok(x ^ y),
        Op::Shl => match count {
            Some(n) => a << n,
            None if a == 0 => 0,
            None => return Err(Overflow),
        },
        Op::WrapShl => return Ok(count.map_or(0, |n| ty.wrap(a << n))),
        Op::Shr => a >> count.unwrap_or(127),
        Op::LogicalShr => {
            let unsigned = a & ((1 << bits) - 1);
            return Ok(count.map_or(0, |n| ty.wrap(unsigned >> n)));
        }
        _ => return Err(ArithmeticError::Operands(op)),
    };
    ty.cell(value).ok_or(Overflow)
}

/// `x**n` for results of at most 65 bits; negative exponents as in [`binary`].
fn wide_pow(x: i128, n: i128) -> Result<i128, ArithmeticError> {
    match (x, u32::try_from(n)) {
        (0, _) if n < 0 => Err(DivisionByZero),
        (0 | 1, _) => Ok(if n == 0 { 1 } else { x }),
        (-1, _) => Ok(if n % 2 == 0 { 1 } else { -1 }),
        (_, _) if n < 0 => Ok(0),
        (_, Ok(n)) => x.checked_pow(n).ok_or(Overflow),
        (_, Err(_)) => Err(Overflow),
    }
}

/// The comparison of two integers of this type, on cells; `None` if `op` is not a comparison.
pub fn sized_compare(op: Op, ty: IntType, x: i64, y: i64) -> Option<bool> {
    // With the sign bit inverted, the cells of `uint64` are ordered like their values.
    let key = |cell: i64| match ty {
        IntType::Uint64 => cell ^ i64::MIN,
        IntType::Int8
        | IntType::Int16
        | IntType::Int32
        | IntType::Uint8
        | IntType::Uint16
        | IntType::Uint32 => cell,
    };
    compare(op).map(|holds| holds(&key(x), &key(y)))
}

/// The cell of the number `x`, converted to an integer type.
pub fn converted(how: Conversion, to: AnyInt, x: i128) -> Result<i64, ArithmeticError> {
    match how {
        Conversion::To => to.cell(x).ok_or(Overflow),
        Conversion::Saturate => Ok(x.clamp(to.min(), to.max()) as i64),
        Conversion::Wrap => Ok(to.wrap(x)),
    }
}

/// The cell of the real `x`, converted to an integer type.
pub fn converted_real(how: Conversion, to: AnyInt, x: f64) -> Result<i64, ArithmeticError> {
    if x.is_nan() {
        return match how {
            Conversion::Saturate => Ok(0),
            Conversion::To | Conversion::Wrap => Err(NotRepresentable(x)),
        };
    }
    // Rust's `as` saturates, far outside the values of any integer type.
    converted(how, to, x as i128).map_err(|_| NotRepresentable(x))
}
