//! Integers of 8, 16 and 32 bits and without sign: the numbers themselves, computed without loss, then tested or reduced.

use super::{Derivative, FaultKind, Value};
use cfg_core::ir::{AnyInt, Conversion, IntType, Op};

type Result<T> = std::result::Result<T, FaultKind>;

/// The number that has the lowest bits of another one.
fn reduced(ty: IntType, x: i128) -> i128 {
    let size = 1i128 << ty.bits();
    let rest = x.rem_euclid(size);
    if ty.is_signed() && rest >= size / 2 {
        rest - size
    } else {
        rest
    }
}

fn tested(ty: IntType, x: i128) -> Result<i128> {
    if reduced(ty, x) == x {
        Ok(x)
    } else {
        Err(FaultKind::Overflow)
    }
}

/// A conversion to an integer type that files name.
pub(super) fn convert<D: Derivative>(
    how: Conversion,
    to: AnyInt,
    x: &Value<D>,
) -> Result<Value<D>> {
    let (least, most) = match to {
        AnyInt::Sized(ty) => (ty.min(), ty.max()),
        AnyInt::Integer => (-(1 << 63), (1 << 63) - 1),
    };
    let whole = |x: f64| {
        if x.is_nan() {
            return if how == Conversion::Saturate {
                Ok(0)
            } else {
                Err(FaultKind::Overflow)
            };
        }
        // 1.3e30 is about 2^100: beyond, the number is outside of every type, and the conversion to `i128` stays
        // exact.
        Ok(x.trunc().clamp(-1.3e30, 1.3e30) as i128)
    };
    let number = match x {
        Value::Integer(i) => i128::from(*i),
        Value::Sized(_, i) => *i,
        Value::Logical(b) => i128::from(*b),
        Value::Real(x, _) => whole(*x)?,
        Value::Real32(x, _) => whole(f64::from(*x))?,
        Value::Undefined => return Ok(Value::Undefined),
        Value::Pointer(..) => return Err(FaultKind::Type),
    };
    let number = match how {
        Conversion::Saturate if number < least => least,
        Conversion::Saturate if number > most => most,
        Conversion::Wrap => match to {
            AnyInt::Sized(ty) => reduced(ty, number),
            AnyInt::Integer => {
                let low = reduced(IntType::Uint64, number);
                if low > most { low - (1 << 64) } else { low }
            }
        },
        _ if number < least || number > most => return Err(FaultKind::Overflow),
        _ => number,
    };
    Ok(match to {
        AnyInt::Sized(ty) => Value::Sized(ty, number),
        AnyInt::Integer => Value::Integer(number as i64),
    })
}

/// An operator over integers of one type.
pub(super) fn operation<D>(op: Op, ty: IntType, x: &[i128]) -> Result<Value<D>> {
    let a = x[0];
    let b = x.get(1).copied().unwrap_or(0);
    let bits = i128::from(ty.bits());
    let size = 1i128 << bits;
    let logical = |holds: bool| Ok(Value::Logical(holds));
    let number = |x: i128| tested(ty, x).map(|x| Value::Sized(ty, x));
    let lowest = |x: i128| Ok(Value::Sized(ty, reduced(ty, x)));
    let divide = |a: i128, b: i128| {
        if b == 0 {
            Err(FaultKind::ZeroDivision)
        } else {
            Ok(a / b)
        }
    };
    let by_bit = |set: &dyn Fn(bool, bool) -> bool| {
        let (a, b) = (a.rem_euclid(size), b.rem_euclid(size));
        let bit = |x: i128, k: i128| x >> k & 1 == 1;
        let sum = (0..bits).map(|k| i128::from(set(bit(a, k), bit(b, k))) << k);
        lowest(sum.sum())
    };
    match op {
        Op::Eq => logical(a == b),
        Op::Ne => logical(a != b),
        Op::Lt => logical(a < b),
        Op::Le => logical(a <= b),
        Op::Gt => logical(a > b),
        Op::Ge => logical(a >= b),
        Op::Add => number(a + b),
        Op::Sub => number(a - b),
        // The product of two numbers below 2^64 may have 128 bits.
        Op::Mul => number(a.checked_mul(b).ok_or(FaultKind::Overflow)?),
        Op::Neg => number(-a),
        Op::Abs => number(a.abs()),
        Op::Div => number(divide(a, b)?),
        Op::Mod => number(a - divide(a, b)? * b),
        Op::Modulo => {
            divide(a, b)?;
            let r = a.rem_euclid(b);
            number(if b < 0 && r != 0 { r + b } else { r })
        }
        Op::Min => number(if b < a && x.len() > 1 { b } else { a }),
        Op::Max => number(if b > a && x.len() > 1 { b } else { a }),
        Op::PosDiff => number(if a > b { a - b } else { 0 }),
        Op::Sign => number(if b < 0 { -a.abs() } else { a.abs() }),
        Op::WrapAdd => lowest(a + b),
        Op::WrapSub => lowest(a - b),
        Op::WrapNeg => lowest(-a),
        Op::WrapMul => {
            // Half by half, so that nothing is lost.
            let (high, low) = (b.div_euclid(1 << 32), b.rem_euclid(1 << 32));
            let part = |x: i128| reduced(ty, x);
            lowest(part(part(a * high) * (1 << 32)) + part(a * low))
        }
        Op::Pow if b < 0 => match a {
            0 => Err(FaultKind::ZeroDivision),
            1 => number(1),
            -1 => number(if b % 2 == 0 { 1 } else { -1 }),
            _ => number(0),
        },
        Op::Pow => {
            let mut power = 1i128;
            for _ in 0..b {
                if power == 0 || a == 1 {
                    break;
                }
                power = if a == -1 {
                    if b % 2 == 0 { 1 } else { -1 }
                } else {
                    tested(ty, power.checked_mul(a).ok_or(FaultKind::Overflow)?)?
                };
                if a == -1 {
                    break;
                }
            }
            number(power)
        }
        Op::BitAnd => by_bit(&|a, b| a && b),
        Op::BitOr => by_bit(&|a, b| a || b),
        Op::BitXor => by_bit(&|a, b| a != b),
        Op::BitNot => by_bit(&|a, _| !a),
        Op::Shl | Op::WrapShl | Op::Shr | Op::LogicalShr => {
            let places = if (0..bits).contains(&b) { b } else { bits };
            let mut value = if op == Op::LogicalShr {
                a.rem_euclid(size)
            } else {
                a
            };
            for _ in 0..places {
                value = match op {
                    Op::Shl => tested(ty, value * 2)?,
                    Op::WrapShl => reduced(ty, value * 2),
                    _ => value.div_euclid(2),
                };
            }
            lowest(value)
        }
        _ => Err(FaultKind::Unsupported(op)),
    }
}
