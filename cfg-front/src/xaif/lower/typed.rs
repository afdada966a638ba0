//! Expressions with their types: Fortran's conversions, spelled out as the representation wants them.

use cfg_core::ir::{Expr, Op, ScalarType};

/// An expression, its type, its number of dimensions, and its number of levels.
#[derive(Clone, Debug)]
pub(crate) struct Typed {
    pub(crate) expr: Expr,
    pub(crate) ty: ScalarType,
    pub(crate) rank: usize,
    pub(crate) depth: usize,
}

impl Typed {
    pub(crate) fn leaf(expr: Expr, ty: ScalarType) -> Self {
        Self {
            expr,
            ty,
            rank: 0,
            depth: 1,
        }
    }

    /// An operation on operands whose types have been made to fit.
    pub(crate) fn op(op: Op, ty: ScalarType, operands: Vec<Typed>) -> Self {
        let rank = operands.iter().map(|o| o.rank).max().unwrap_or(0);
        let depth = 1 + operands.iter().map(|o| o.depth).max().unwrap_or(0);
        Self {
            expr: Expr::op(op, operands.into_iter().map(|o| o.expr)),
            ty,
            rank,
            depth,
        }
    }

    fn wrap(self, op: Op, ty: ScalarType) -> Self {
        Self::op(op, ty, vec![self])
    }

    /// The expression converted as in an assignment to a variable of this type.
    pub(crate) fn convert_to(self, ty: ScalarType) -> Result<Self, String> {
        use ScalarType as T;
        if self.ty == ty {
            return Ok(self);
        }
        let constant = |expr| Ok(Self::leaf(expr, ty));
        match (&self.expr, self.ty, ty) {
            // A whole number of at most 53 bits is the same real.
            (Expr::Int(i), T::Integer, T::Real) if i.unsigned_abs() <= 1 << 53 => {
                return constant(Expr::Real(*i as f64));
            }
            (Expr::Real32(x), T::Real32, T::Real) => return constant(Expr::Real(f64::from(*x))),
            (Expr::Int(i), T::Integer, T::Real32) if i.unsigned_abs() <= 1 << 24 => {
                return constant(Expr::Real32(*i as f32));
            }
            (Expr::Real(x), T::Real, T::Real32) => return constant(Expr::Real32(*x as f32)),
            _ => {}
        }
        Ok(match (self.ty, ty) {
            (T::Integer | T::Real32, T::Real) => self.wrap(Op::ToReal, ty),
            (T::Integer | T::Real, T::Real32) => self.wrap(Op::ToReal32, ty),
            (T::Real | T::Real32, T::Integer) => self.wrap(Op::TO_INT, ty),
            (T::Integer, T::Logical) => self.wrap(Op::ToLogical, ty),
            (T::Logical, T::Integer) => {
                let one = Self::leaf(Expr::Int(1), ty);
                let zero = Self::leaf(Expr::Int(0), ty);
                Self::op(Op::If, ty, vec![self, one, zero])
            }
            (from, to) => {
                return Err(format!("a {} cannot become a {}", from.name(), to.name()));
            }
        })
    }

    /// The operands with one common real kind; integers stay integers, as mixed operations convert them.
    pub(crate) fn unify(operands: Vec<Typed>) -> Result<(Vec<Typed>, ScalarType), String> {
        use ScalarType as T;
        if operands.iter().any(|o| o.ty == T::Logical) {
            return Err("arithmetic on logical values".to_owned());
        }
        let has = |ty| operands.iter().any(|o| o.ty == ty);
        let common = if has(T::Real) {
            T::Real
        } else if has(T::Real32) {
            T::Real32
        } else {
            T::Integer
        };
        let operands = operands
            .into_iter()
            .map(|o| {
                if common == T::Real && (o.ty == T::Real32 || matches!(o.expr, Expr::Int(_))) {
                    o.convert_to(T::Real)
                } else {
                    Ok(o)
                }
            })
            .collect::<Result<Vec<_>, _>>()?;
        Ok((operands, common))
    }

    /// The expression as a real: reals keep their kind, integers become 64-bit reals.
    pub(crate) fn real(self) -> Result<Self, String> {
        match self.ty {
            ScalarType::Real | ScalarType::Real32 => Ok(self),
            ScalarType::Integer
            | ScalarType::Sized(_)
            | ScalarType::Logical
            | ScalarType::Tape
            | ScalarType::Record(_)
            | ScalarType::Pointer(_) => self.convert_to(ScalarType::Real),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whole numbers up to 2^53 are constants of 64 bits, and up to 2^24 of 32 bits.
    #[test]
    fn whole_numbers_are_reals_up_to_a_size() {
        for (ty, most) in [
            (ScalarType::Real, 1_i64 << 53),
            (ScalarType::Real32, 1 << 24),
        ] {
            let is_constant = |i: i64| {
                let number = Typed::leaf(Expr::Int(i), ScalarType::Integer);
                let real = number.convert_to(ty).expect("it has a value");
                !matches!(real.expr, Expr::Op(..))
            };
            let found = [-most - 1, -most, most, most + 1].map(is_constant);
            assert_eq!(found, [false, true, true, false], "{ty:?}");
        }
    }
}
