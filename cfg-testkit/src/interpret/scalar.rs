//! Elemental operators at scalars.

use super::rules::{integer_power, real_rule, single_value};
use super::{Derivative, FaultKind, Value, sized};
use cfg_core::ir::{AnyInt, Conversion, Op};

type Result<T> = std::result::Result<T, FaultKind>;

/// An elemental operator at scalars.
pub(super) fn scalar<D: Derivative>(op: Op, x: &[Value<D>]) -> Result<Value<D>> {
    if x.iter().any(|v| matches!(v, Value::Undefined)) {
        return Ok(Value::Undefined);
    }
    if let (Some((how, to)), [value]) = (op.typed_conversion(), x) {
        return sized::convert(how, to, value);
    }
    if let Some(Value::Sized(ty, _)) = x.first()
        && !matches!(op, Op::ToReal | Op::ToReal32 | Op::TO_INT | Op::ToLogical)
    {
        let number = |v: &Value<D>| match v {
            Value::Sized(of, i) if of == ty => Ok(*i),
            _ => Err(FaultKind::Type),
        };
        let numbers = x.iter().map(number).collect::<Result<Vec<i128>>>()?;
        return sized::operation(op, *ty, &numbers);
    }
    match (op, x) {
        (Op::TO_INT, [Value::Sized(..)]) => sized::convert(Conversion::To, AnyInt::Integer, &x[0]),
        (Op::ToLogical, [Value::Sized(_, a)]) => Ok(Value::Logical(*a != 0)),
        (Op::ToReal32, [Value::Sized(_, a)]) => Ok(Value::Real32(*a as f32, D::constant())),
        (Op::Eq | Op::Ne, [Value::Logical(a), Value::Logical(b)]) => {
            Ok(Value::Logical((a == b) == (op == Op::Eq)))
        }
        (Op::Eq | Op::Ne, [Value::Pointer(_, a), Value::Pointer(_, b)]) => {
            Ok(Value::Logical((a == b) == (op == Op::Eq)))
        }
        (Op::Not, [Value::Logical(a)]) => Ok(Value::Logical(!a)),
        (Op::ToLogical, [Value::Logical(a)]) => Ok(Value::Logical(*a)),
        (Op::ToLogical, [Value::Integer(a)]) => Ok(Value::Logical(*a != 0)),
        (Op::TO_INT | Op::ToReal | Op::ToReal32, [Value::Logical(b)]) => {
            scalar(op, &[Value::Integer(i64::from(*b))])
        }
        (Op::TO_INT, [Value::Real(a, _)]) => to_integer(*a).map(Value::Integer),
        (Op::TO_INT, [Value::Real32(a, _)]) => to_integer(f64::from(*a)).map(Value::Integer),
        (Op::ToReal, [v]) => {
            let (a, d) = as_real(v)?;
            Ok(Value::Real(a, d))
        }
        (Op::ToReal32, [v]) => {
            let (a, d) = as_real(v)?;
            Ok(Value::Real32(a as f32, d))
        }
        (Op::Pow, [base, Value::Integer(n)]) if !matches!(base, Value::Integer(_)) => {
            let (a, d) = as_real(base)?;
            let (v, [p, ..]) = integer_power(a, *n);
            Ok(real(x, v, combine(&[(p, &d)])))
        }
        _ if x.iter().all(|v| matches!(v, Value::Integer(_))) && !only_real(op) => {
            integer_operation(op, x)
        }
        _ => real_operation(op, x),
    }
}

fn combine<D: Derivative>(terms: &[(f64, &D)]) -> D {
    if D::NONE {
        D::constant()
    } else {
        D::combine(terms)
    }
}

/// True of operators whose result is real even for integers.
fn only_real(op: Op) -> bool {
    matches!(
        op,
        Op::Sqrt | Op::Exp | Op::Log | Op::Sin | Op::Cos | Op::Tanh
    )
}

/// True if a real operand is 32 bits wide and none is wider.
fn is_single<D>(operands: &[Value<D>]) -> bool {
    operands.iter().any(|v| matches!(v, Value::Real32(..)))
        && !operands.iter().any(|v| matches!(v, Value::Real(..)))
}

/// The result is 32 bits wide if the operands are.
fn real<D>(operands: &[Value<D>], value: f64, derivative: D) -> Value<D> {
    if is_single(operands) {
        Value::Real32(value as f32, derivative)
    } else {
        Value::Real(value, derivative)
    }
}

fn as_real<D: Derivative>(v: &Value<D>) -> Result<(f64, D)> {
    match v {
        Value::Real(a, d) => Ok((*a, d.clone())),
        Value::Real32(a, d) => Ok((f64::from(*a), d.clone())),
        Value::Integer(i) => Ok((*i as f64, D::constant())),
        Value::Sized(_, i) => Ok((*i as f64, D::constant())),
        Value::Logical(_) | Value::Pointer(..) | Value::Undefined => Err(FaultKind::Type),
    }
}

fn to_integer(a: f64) -> Result<i64> {
    // 2^63 is the first value that does not fit; below -2^63 likewise; NaN fails both comparisons.
    if a.trunc() >= -9_223_372_036_854_775_808.0 && a.trunc() < 9_223_372_036_854_775_808.0 {
        Ok(a as i64)
    } else {
        Err(FaultKind::Overflow)
    }
}

fn real_operation<D: Derivative>(op: Op, x: &[Value<D>]) -> Result<Value<D>> {
    let mut values = [0.0; 3];
    let n = x.len().min(3);
    for (slot, v) in values.iter_mut().zip(x) {
        *slot = match v {
            Value::Real(a, _) => *a,
            Value::Real32(a, _) => f64::from(*a),
            Value::Integer(i) => *i as f64,
            Value::Sized(..) | Value::Logical(_) | Value::Pointer(..) | Value::Undefined => {
                return Err(FaultKind::Type);
            }
        };
    }
    let [a, b, _] = values;
    let compared = match op {
        Op::Eq => Some(a == b),
        Op::Ne => Some(a != b),
        Op::Lt => Some(a < b),
        Op::Le => Some(a <= b),
        Op::Gt => Some(a > b),
        Op::Ge => Some(a >= b),
        _ => None,
    };
    if let Some(result) = compared {
        return Ok(Value::Logical(result));
    }
    let (mut value, partials) = real_rule(op, &values[..n]).ok_or(FaultKind::Unsupported(op))?;
    if let Some(single) = single_value(op, &values[..n]).filter(|_| is_single(x)) {
        value = single.into();
    }
    if D::NONE {
        return Ok(real(x, value, D::constant()));
    }
    let constant = D::constant();
    let mut terms = [(0.0, &constant); 3];
    for ((term, v), p) in terms.iter_mut().zip(x).zip(partials) {
        if let Value::Real(_, d) | Value::Real32(_, d) = v {
            *term = (p, d);
        }
    }
    Ok(real(x, value, D::combine(&terms[..n]).with_value(value)))
}

fn integer_operation<D: Derivative>(op: Op, x: &[Value<D>]) -> Result<Value<D>> {
    let mut values = [0i64; 3];
    for (slot, v) in values.iter_mut().zip(x) {
        if let Value::Integer(i) = v {
            *slot = *i;
        }
    }
    let [a, b, c] = values;
    let over = |v: Option<i64>| v.ok_or(FaultKind::Overflow);
    let divisor = || {
        if b == 0 {
            Err(FaultKind::ZeroDivision)
        } else {
            Ok(b)
        }
    };
    let value = match op {
        Op::Add => over(a.checked_add(b))?,
        Op::Sub => over(a.checked_sub(b))?,
        Op::Mul => over(a.checked_mul(b))?,
        Op::Neg => over(a.checked_neg())?,
        Op::Abs => over(a.checked_abs())?,
        Op::Div => over(a.checked_div(divisor()?))?,
        Op::Mod => a.checked_rem(divisor()?).unwrap_or(0),
        Op::Modulo => {
            let r = a.checked_rem(divisor()?).unwrap_or(0);
            if r != 0 && (r < 0) != (b < 0) {
                r + b
            } else {
                r
            }
        }
        Op::Min => a.min(b),
        Op::Max => a.max(b),
        Op::PosDiff => over(a.checked_sub(b))?.max(0),
        Op::Sign => over(a.checked_abs())? * if b < 0 { -1 } else { 1 },
        Op::WrapAdd | Op::WrapSub | Op::WrapMul | Op::WrapNeg => wrapped(op, a, b),
        Op::BitAnd | Op::BitOr | Op::BitXor | Op::BitNot => bit_by_bit(op, a, b),
        Op::Shl | Op::WrapShl | Op::Shr | Op::LogicalShr => over(shifted(op, a, b))?,
        Op::TO_INT => a,
        Op::Trips => trips(a, b, c)?,
        Op::Pow if b >= 0 => over(u32::try_from(b).ok().and_then(|b| a.checked_pow(b)))?,
        Op::Pow => match a {
            0 => return Err(FaultKind::ZeroDivision),
            1 => 1,
            -1 => 1 - 2 * (b & 1),
            _ => 0,
        },
        Op::Eq => return Ok(Value::Logical(a == b)),
        Op::Ne => return Ok(Value::Logical(a != b)),
        Op::Lt => return Ok(Value::Logical(a < b)),
        Op::Le => return Ok(Value::Logical(a <= b)),
        Op::Gt => return Ok(Value::Logical(a > b)),
        Op::Ge => return Ok(Value::Logical(a >= b)),
        _ => return Err(FaultKind::Unsupported(op)),
    };
    Ok(Value::Integer(value))
}

/// The number with these lowest 64 bits.
fn lowest(wide: i128) -> i64 {
    let rest = wide.rem_euclid(1 << 64);
    let value = if rest < 1 << 63 {
        rest
    } else {
        rest - (1 << 64)
    };
    value as i64
}

/// An operation modulo 2^64, computed without loss and then reduced.
fn wrapped(op: Op, a: i64, b: i64) -> i64 {
    let (a, b) = (i128::from(a), i128::from(b));
    lowest(match op {
        Op::WrapAdd => a + b,
        Op::WrapSub => a - b,
        Op::WrapMul => a * b,
        _ => -a,
    })
}

/// An operation on bits, one after the other.
fn bit_by_bit(op: Op, a: i64, b: i64) -> i64 {
    let bit = |x: i64, k: u32| i128::from(x).rem_euclid(1 << 64) >> k & 1 == 1;
    let mut result: i128 = 0;
    for k in 0..64 {
        let set = match op {
            Op::BitAnd => bit(a, k) && bit(b, k),
            Op::BitOr => bit(a, k) || bit(b, k),
            Op::BitXor => bit(a, k) != bit(b, k),
            _ => !bit(a, k),
        };
        result += i128::from(set) << k;
    }
    lowest(result)
}

/// A shift, one place after the other; `None` if it is checked and does not fit.
fn shifted(op: Op, a: i64, count: i64) -> Option<i64> {
    let mut value = match op {
        Op::LogicalShr => i128::from(a).rem_euclid(1 << 64),
        _ => i128::from(a),
    };
    // After 64 single steps every bit has been shifted out, so more make no difference.
    let places = if (0..64).contains(&count) { count } else { 64 };
    for _ in 0..places {
        value = match op {
            Op::Shr | Op::LogicalShr => value.div_euclid(2),
            Op::Shl if i64::try_from(value).is_err() => return None,
            Op::Shl => value * 2,
            _ => i128::from(lowest(value * 2)),
        };
    }
    if op == Op::Shl {
        i64::try_from(value).ok()
    } else {
        Some(lowest(value))
    }
}

/// Trip count of a counted loop, or number of elements of a range.
pub(super) fn trips(first: i64, last: i64, step: i64) -> Result<i64> {
    if step == 0 {
        return Err(FaultKind::ZeroStep);
    }
    let (first, last, step) = (i128::from(first), i128::from(last), i128::from(step));
    let span = if step > 0 { last - first } else { first - last };
    let n = if span < 0 { 0 } else { span / step.abs() + 1 };
    i64::try_from(n).map_err(|_| FaultKind::Overflow)
}

#[cfg(test)]
mod tests {
    use super::trips;

    #[test]
    fn trips_by_walking() {
        for first in -6..=6 {
            for last in -6..=6 {
                for step in [-4, -3, -2, -1, 1, 2, 3, 4] {
                    let (mut n, mut i) = (0, first);
                    while (step > 0 && i <= last) || (step < 0 && i >= last) {
                        n += 1;
                        i += step;
                    }
                    assert_eq!(trips(first, last, step), Ok(n), "{first} {last} {step}");
                }
            }
        }
    }
}
