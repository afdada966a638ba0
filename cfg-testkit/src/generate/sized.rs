//! Expressions of integers of 8, 16 and 32 bits and without sign, of operators that have a value for all operands, and
//! integers, reals and conditions that are made of them.

use super::build::Builder;
use super::integer::Ranged;
use cfg_core::ir::{AnyInt, Conversion, Expr, IntType, Op, ScalarType};

impl Builder<'_> {
    /// A constant, often at the ends of the type.
    pub(super) fn sized_constant(&mut self, ty: IntType) -> Expr {
        let value = match self.rng.below(5) {
            0 => ty.min(),
            1 => ty.max(),
            2 => ty.max() - i128::from(self.rng.between(0, 3)),
            _ => i128::from(self.rng.between(0, 9)),
        };
        Expr::sized(ty, value).unwrap_or(Expr::Int(0))
    }

    /// An expression of this type.
    pub(super) fn sized(&mut self, ty: IntType, depth: usize) -> Expr {
        let of = ScalarType::Sized(ty);
        if depth == 0 || self.rng.percent(20) {
            let scalars = self.readable(of, false);
            let arrays = self.readable(of, true);
            if !scalars.is_empty() && self.rng.percent(60) {
                let v = scalars[self.rng.below(scalars.len())];
                self.note_read(v);
                return self.vars[v].value();
            }
            if !arrays.is_empty() && self.rng.percent(60) {
                let v = arrays[self.rng.below(arrays.len())];
                return Expr::Place(self.element(v));
            }
            return self.sized_constant(ty);
        }
        let to = |how| Op::Convert(how, AnyInt::Sized(ty));
        let a = self.sized(ty, depth - 1);
        let two = [
            Op::WrapAdd,
            Op::WrapSub,
            Op::WrapMul,
            Op::BitAnd,
            Op::BitOr,
            Op::BitXor,
            Op::WrapShl,
            Op::Shr,
            Op::LogicalShr,
            Op::Min,
            Op::Max,
        ];
        match self.rng.below(18) {
            k @ 0..=10 => {
                let b = if matches!(two[k], Op::WrapShl | Op::Shr | Op::LogicalShr)
                    && self.rng.percent(70)
                {
                    let n = self.rng.between(0, i64::from(ty.bits()));
                    Expr::sized(ty, n.into()).unwrap_or(Expr::Int(0))
                } else {
                    self.sized(ty, depth - 1)
                };
                Expr::op(two[k], [a, b])
            }
            11 => Expr::op(Op::WrapNeg, [a]),
            12 => Expr::op(Op::BitNot, [a]),
            13 => {
                // The divisor is neither 0 nor -1.
                let d = i128::from(self.rng.between(2, 9));
                let op = *self
                    .rng
                    .pick(&[Op::Div, Op::Mod, Op::Modulo])
                    .unwrap_or(&Op::Mod);
                Expr::op(op, [a, Expr::sized(ty, d).unwrap_or(Expr::Int(1))])
            }
            14 if self.rng.percent(40) => {
                let n = self.integer_in(0, 9, depth - 1);
                Expr::op(to(Conversion::To), [n])
            }
            14 => {
                let n = self.integer(depth - 1).e;
                let how = if self.rng.percent(50) {
                    Conversion::Wrap
                } else {
                    Conversion::Saturate
                };
                Expr::op(to(how), [n])
            }
            15 => {
                let other = *self.rng.pick(&IntType::ALL).unwrap_or(&ty);
                let x = self.sized(other, depth - 1);
                let how = if self.rng.percent(50) {
                    Conversion::Wrap
                } else {
                    Conversion::Saturate
                };
                Expr::op(to(how), [x])
            }
            16 if !self.exact() => {
                let x = self.real(1);
                Expr::op(to(Conversion::Saturate), [x])
            }
            _ => {
                let condition = self.sized_condition(ty);
                let b = self.sized(ty, depth - 1);
                Expr::op(Op::If, [condition, a, b])
            }
        }
    }

    /// A comparison.
    pub(super) fn sized_condition(&mut self, ty: IntType) -> Expr {
        let (a, b) = (self.sized(ty, 1), self.sized(ty, 0));
        let op = *self
            .rng
            .pick(&[Op::Eq, Op::Ne, Op::Lt, Op::Le, Op::Gt, Op::Ge])
            .unwrap_or(&Op::Eq);
        Expr::op(op, [a, b])
    }

    /// A small integer that such a value has decided.
    pub(super) fn sized_integer(&mut self) -> Ranged {
        let ty = *self.rng.pick(&IntType::ALL).unwrap_or(&IntType::Int8);
        let x = self.sized(ty, 2);
        let three = Expr::sized(ty, 3).unwrap_or(Expr::Int(3));
        let low = Expr::op(Op::BitAnd, [x, three]);
        let to = Op::Convert(Conversion::Wrap, AnyInt::Integer);
        let op = if self.rng.percent(50) { to } else { Op::TO_INT };
        Ranged {
            e: Expr::op(op, [low]),
            low: 0,
            high: 3,
        }
    }
}
