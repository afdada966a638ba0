//! Constant numbers.

use crate::types::{Arith, Int};

/// A constant number, with its type.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Number {
    Int(i128, Int),
    Float(f32),
    Double(f64),
}

impl Number {
    pub(crate) fn double(self) -> f64 {
        match self {
            Self::Int(value, _) => value as f64,
            Self::Float(value) => f64::from(value),
            Self::Double(value) => value,
        }
    }

    pub(crate) fn float(self) -> f32 {
        match self {
            Self::Int(value, _) => value as f32,
            Self::Float(value) => value,
            Self::Double(value) => value as f32,
        }
    }

    pub(crate) fn ty(self) -> Arith {
        match self {
            Self::Int(_, ty) => Arith::Int(ty),
            Self::Float(_) => Arith::Float,
            Self::Double(_) => Arith::Double,
        }
    }

    pub(crate) fn is_zero(self) -> bool {
        match self {
            Self::Int(value, _) => value == 0,
            Self::Float(_) | Self::Double(_) => self.double() == 0.0,
        }
    }

    /// The number in another type; `None` if a real does not fit an integer type, which C leaves undefined.
    pub(crate) fn converted(self, to: Arith) -> Option<Self> {
        Some(match (self, to) {
            (_, Arith::Double) => Self::Double(self.double()),
            (_, Arith::Float) => Self::Float(self.float()),
            (_, Arith::Int(Int::Bool)) => Self::Int((!self.is_zero()).into(), Int::Bool),
            (Self::Int(value, _), Arith::Int(int)) => Self::Int(int.wrap(value), int),
            (_, Arith::Int(int)) => {
                let value = self.double().trunc() as i128;
                Self::Int(value, int)
                    .known()
                    .filter(|_| self.double().is_finite())?
            }
        })
    }

    /// The number; `None` for an integer that does not fit its type.
    fn known(self) -> Option<Self> {
        match self {
            Self::Int(value, ty) => ty.contains(value).then_some(self),
            Self::Float(_) | Self::Double(_) => Some(self),
        }
    }
}
