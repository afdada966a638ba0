//! The meaning of the operators: any elemental operator over typed scalars.

use super::integer::{self, ArithmeticError};
use super::math::Math;
use super::polygamma::polygamma;
use super::value::{binary, binary32, compare, fma32, powi, ternary, unary, unary32};
use crate::ir::{AnyInt, Conversion, IntType, Op, ScalarType};

/// A scalar value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    /// 64-bit real.
    Real(f64),
    /// 32-bit real.
    Real32(f32),
    /// Integer.
    Integer(i64),
    /// Integer of another width, as its cell (see [`IntType`]).
    Sized(IntType, i64),
    /// Logical.
    Logical(bool),
}

impl Scalar {
    /// The type of the scalar.
    pub fn ty(self) -> ScalarType {
        match self {
            Self::Real(_) => ScalarType::Real,
            Self::Real32(_) => ScalarType::Real32,
            Self::Integer(_) => ScalarType::Integer,
            Self::Sized(ty, _) => ScalarType::Sized(ty),
            Self::Logical(_) => ScalarType::Logical,
        }
    }

    /// The value as a 64-bit real; a logical is 0 or 1.
    pub fn to_f64(self) -> f64 {
        match self {
            Self::Real(x) => x,
            Self::Real32(x) => f64::from(x),
            Self::Integer(n) => n as f64,
            Self::Sized(ty, cell) => ty.value(cell) as f64,
            Self::Logical(b) => f64::from(u8::from(b)),
        }
    }

    /// Conversion to a real or to a logical.
    fn convert(self, to: ScalarType) -> Self {
        match (to, self) {
            (ScalarType::Real, x) => Self::Real(x.to_f64()),
            // One rounding: by way of 64 bits there would be two.
            (ScalarType::Real32, Self::Integer(n)) => Self::Real32(n as f32),
            (ScalarType::Real32, Self::Sized(ty, cell)) => Self::Real32(ty.value(cell) as f32),
            (ScalarType::Real32, x) => Self::Real32(x.to_f64() as f32),
            (ScalarType::Logical, x) => Self::Logical(x.to_f64() != 0.0),
            (
                ScalarType::Integer
                | ScalarType::Sized(_)
                | ScalarType::Tape
                | ScalarType::Record(_)
                | ScalarType::Pointer(_),
                x,
            ) => x,
        }
    }

    /// Conversion to an integer type; only integers are reduced modulo 2 to the bits of the type.
    fn to_integer(self, how: Conversion, to: AnyInt) -> Result<Self, ArithmeticError> {
        let cell = match self {
            Self::Real(_) | Self::Real32(_) | Self::Logical(_) if how == Conversion::Wrap => {
                return Err(ArithmeticError::Operands(Op::Convert(how, to)));
            }
            Self::Real(x) => integer::converted_real(how, to, x),
            Self::Real32(x) => integer::converted_real(how, to, x.into()),
            Self::Integer(n) => integer::converted(how, to, n.into()),
            Self::Sized(ty, cell) => integer::converted(how, to, ty.value(cell)),
            Self::Logical(b) => Ok(b.into()),
        }?;
        Ok(match to {
            AnyInt::Integer => Self::Integer(cell),
            AnyInt::Sized(ty) => Self::Sized(ty, cell),
        })
    }
}

/// The value of an elemental operator. Integers mixed with reals are converted to the type of the reals;
/// 64-bit with 32-bit reals, and functions of reals over integers only, are [`ArithmeticError::Operands`].
pub fn apply(op: Op, args: &[Scalar], math: Math) -> Result<Scalar, ArithmeticError> {
    let wrong = || ArithmeticError::Operands(op);
    let (fewest, most) = op.arity();
    if args.len() < fewest || args.len() > most {
        return Err(wrong());
    }
    match (op, args) {
        (Op::ToReal, [x]) => Ok(x.convert(ScalarType::Real)),
        (Op::ToReal32, [x]) => Ok(x.convert(ScalarType::Real32)),
        (Op::ToLogical, [x]) => Ok(x.convert(ScalarType::Logical)),
        (Op::Convert(how, to), [x]) => x.to_integer(how, to),
        (Op::Not, [Scalar::Logical(b)]) => Ok(Scalar::Logical(!b)),
        (Op::And | Op::Or, _) => {
            let mut all = true;
            let mut any = false;
            for x in args {
                let Scalar::Logical(b) = *x else {
                    return Err(wrong());
                };
                all &= b;
                any |= b;
            }
            Ok(Scalar::Logical(if op == Op::And { all } else { any }))
        }
        (Op::If, [Scalar::Logical(c), a, b]) => match common_type(&args[1..]).ok_or_else(wrong)? {
            ty if ty.is_real() => Ok(if *c { *a } else { *b }.convert(ty)),
            _ => Ok(if *c { *a } else { *b }),
        },
        (
            Op::Trips,
            [
                Scalar::Integer(first),
                Scalar::Integer(last),
                Scalar::Integer(step),
            ],
        ) => integer::trips(*first, *last, *step).map(Scalar::Integer),
        (Op::Polygamma, [Scalar::Integer(n), Scalar::Real(x)]) => {
            Ok(Scalar::Real(polygamma(math)(*n, *x)))
        }
        (Op::Polygamma, [Scalar::Integer(n), Scalar::Real32(x)]) => {
            Ok(Scalar::Real32(polygamma(math)(*n, f64::from(*x)) as f32))
        }
        (Op::Pow, [Scalar::Real(x), Scalar::Integer(n)]) => Ok(Scalar::Real(powi(math)(*x, *n))),
        (Op::Pow, [Scalar::Real32(x), Scalar::Integer(n)]) => {
            Ok(Scalar::Real32(powi(math)(f64::from(*x), *n) as f32))
        }
        (Op::Eq | Op::Ne, [Scalar::Logical(a), Scalar::Logical(b)]) => {
            Ok(Scalar::Logical((a == b) == (op == Op::Eq)))
        }
        _ => same_type(op, args, common_type(args).ok_or_else(wrong)?, math),
    }
}

/// The type to which operands of these types are converted; `None` if they do not mix.
fn common_type(args: &[Scalar]) -> Option<ScalarType> {
    let mut common = args.first()?.ty();
    for x in &args[1..] {
        common = match (common, x.ty()) {
            (a, b) if a == b => a,
            (ScalarType::Integer, b) if b.is_real() => b,
            (a, ScalarType::Integer) if a.is_real() => a,
            _ => return None,
        };
    }
    Some(common)
}

/// Operators whose operands are all converted to one type of number.
fn same_type(
    op: Op,
    args: &[Scalar],
    ty: ScalarType,
    math: Math,
) -> Result<Scalar, ArithmeticError> {
    let wrong = || ArithmeticError::Operands(op);
    if ty == ScalarType::Integer {
        let mut numbers = args.iter().map(|x| match x {
            Scalar::Integer(n) => Ok(*n),
            Scalar::Real(_) | Scalar::Real32(_) | Scalar::Sized(..) | Scalar::Logical(_) => {
                Err(wrong())
            }
        });
        let first = numbers.next().ok_or_else(wrong)??;
        if args.len() == 1 {
            return integer::unary(op).ok_or_else(wrong)?(first).map(Scalar::Integer);
        }
        if let Some(holds) = integer::compare(op) {
            let second = numbers.next().ok_or_else(wrong)??;
            return Ok(Scalar::Logical(holds(&first, &second)));
        }
        let f = integer::binary(op).ok_or_else(wrong)?;
        return numbers
            .try_fold(first, |x, y| f(x, y?))
            .map(Scalar::Integer);
    }
    if let ScalarType::Sized(ty) = ty {
        return sized(op, ty, args);
    }
    if !ty.is_real() {
        return Err(wrong());
    }
    let narrow = ty == ScalarType::Real32;
    let round = |x: f64| if narrow { f64::from(x as f32) } else { x };
    let mut numbers = args.iter().map(|x| match x {
        Scalar::Integer(n) if narrow => f64::from(*n as f32),
        x @ (Scalar::Real(_)
        | Scalar::Real32(_)
        | Scalar::Integer(_)
        | Scalar::Sized(..)
        | Scalar::Logical(_)) => x.to_f64(),
    });
    let first = numbers.next().ok_or_else(wrong)?;
    let value = if args.len() == 1 {
        let f = if narrow { unary32 } else { unary };
        round(f(op, math).ok_or_else(wrong)?(first))
    } else if let Some(holds) = compare(op) {
        let second = numbers.next().ok_or_else(wrong)?;
        return Ok(Scalar::Logical(holds(&first, &second)));
    } else if op == Op::Fma {
        let (Some(y), Some(z)) = (numbers.next(), numbers.next()) else {
            return Err(wrong());
        };
        match ternary(op, math) {
            _ if narrow => f64::from(fma32(math)(first as f32, y as f32, z as f32)),
            Some(fma) => fma(first, y, z),
            None => return Err(wrong()),
        }
    } else {
        let f = if narrow { binary32 } else { binary };
        let f = f(op, math).ok_or_else(wrong)?;
        numbers.fold(first, |x, y| round(f(x, y)))
    };
    Ok(if narrow {
        Scalar::Real32(value as f32)
    } else {
        Scalar::Real(value)
    })
}

/// Operators over integers of one type other than `integer`.
fn sized(op: Op, ty: IntType, args: &[Scalar]) -> Result<Scalar, ArithmeticError> {
    let wrong = || ArithmeticError::Operands(op);
    let mut cells = args.iter().map(|x| match x {
        Scalar::Sized(_, cell) => Ok(*cell),
        Scalar::Real(_) | Scalar::Real32(_) | Scalar::Integer(_) | Scalar::Logical(_) => {
            Err(wrong())
        }
    });
    let first = cells.next().ok_or_else(wrong)??;
    if args.len() == 1 {
        return integer::sized_unary(op, ty, first).map(|cell| Scalar::Sized(ty, cell));
    }
    if let [Scalar::Sized(_, x), Scalar::Sized(_, y)] = *args
        && let Some(holds) = integer::sized_compare(op, ty, x, y)
    {
        return Ok(Scalar::Logical(holds));
    }
    cells
        .try_fold(first, |x, y| integer::sized_binary(op, ty, x, y?))
        .map(|cell| Scalar::Sized(ty, cell))
}
