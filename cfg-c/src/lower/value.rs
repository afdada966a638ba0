//! Values of expressions, and the conversions between their types.

use crate::types::{Arith, Int, Width};
use cfg_core::ir::{AnyInt, Conversion, Expr, Op, ScalarType};

/// An arithmetic value.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) e: Expr,
    pub(super) ty: Arith,
    /// True if `e` is a logical although its type in C is int, as for a comparison.
    pub(super) logical: bool,
    /// The value of an integer constant.
    pub(super) constant: Option<i128>,
    /// An upper bound of the levels of `e`.
    pub(super) depth: usize,
}

/// A constant of a type.
pub(super) fn literal(value: i128, ty: Arith) -> Expr {
    match ty {
        Arith::Double => Expr::Real(value as f64),
        Arith::Float => Expr::Real32(value as f32),
        Arith::Int(int) => match int.integer() {
            None => Expr::Logical(value != 0),
            Some(AnyInt::Integer) => Expr::Int(AnyInt::Integer.wrap(value)),
            Some(ty @ AnyInt::Sized(_)) => Expr::op(
                Op::Convert(Conversion::Wrap, ty),
                [Expr::Int(ty.wrap(value))],
            ),
        },
    }
}

/// The operator that converts to a type.
pub(super) fn conversion(how: Conversion, to: Arith) -> Op {
    match to {
        Arith::Double => Op::ToReal,
        Arith::Float => Op::ToReal32,
        Arith::Int(ty) => match ty.integer() {
            None => Op::ToLogical,
            Some(ty) => Op::Convert(how, ty),
        },
    }
}

impl Value {
    pub(super) fn new(e: Expr, ty: Arith, depth: usize) -> Self {
        Self {
            e,
            ty,
            logical: false,
            constant: None,
            depth,
        }
    }

    pub(super) fn integer(value: i128, ty: Int) -> Self {
        let ty = Arith::Int(ty);
        Self {
            constant: Some(value),
            ..Self::new(literal(value, ty), ty, 2)
        }
    }

    /// The value of a comparison: an int that is 0 or 1.
    pub(super) fn truth(e: Expr, depth: usize) -> Self {
        Self {
            logical: true,
            ..Self::new(e, Arith::INT, depth)
        }
    }

    /// The type of the expression in the representation.
    pub(super) fn scalar(&self) -> ScalarType {
        if self.logical {
            ScalarType::Logical
        } else {
            self.ty.scalar_type()
        }
    }

    /// The value in another type, as C converts it.
    pub(super) fn convert(self, to: Arith) -> Self {
        if let Some(value) = self.constant {
            return match to {
                Arith::Int(int) => Self::integer(int.wrap(value), int),
                Arith::Float | Arith::Double => Self::new(literal(value, to), to, 1),
            };
        }
        if to == Arith::Int(Int::Bool) {
            let depth = self.depth + 1;
            return Self::new(self.condition(), to, depth);
        }
        if self.scalar() == to.scalar_type() {
            return Self { ty: to, ..self };
        }
        match (&self.e, to) {
            (Expr::Real(c), Arith::Float) => return Self::new(Expr::Real32(*c as f32), to, 1),
            (Expr::Real32(c), Arith::Double) => return Self::new(Expr::Real(f64::from(*c)), to, 1),
            _ => {}
        }
        let how = match (self.ty, to) {
            (Arith::Int(from), Arith::Int(int)) if !self.logical && from != Int::Bool => {
                let (least, most) = from.range();
                if int.contains(least) && int.contains(most) {
                    Conversion::To
                } else {
                    Conversion::Wrap
                }
            }
            _ => Conversion::To,
        };
        let depth = self.depth + 1;
        Self::new(Expr::op(conversion(how, to), [self.e]), to, depth)
    }

    /// The part of the value that a bit-field of this width keeps; without a width, the value.
    pub(super) fn kept(self, width: Option<Width>) -> Self {
        let Some(width) = width.filter(|width| width.narrows()) else {
            return self;
        };
        if let Some(value) = self.constant {
            return Self::integer(width.kept(value), Int::Long);
        }
        let ty = Arith::Int(Int::Long);
        let depth = self.depth + 4;
        let cut = [self.convert(ty).e, Expr::Int((1 << width.bits) - 1)];
        let cut = Expr::op(Op::BitAnd, cut);
        let kept = match width.of.is_signed() {
            true => {
                let sign = 1 << (width.bits - 1);
                let turned = Expr::op(Op::BitXor, [cut, Expr::Int(sign)]);
                Expr::op(Op::Sub, [turned, Expr::Int(sign)])
            }
            false => cut,
        };
        Self::new(kept, ty, depth)
    }

    /// The value as a logical: true if it is not 0.
    pub(super) fn condition(self) -> Expr {
        if let Some(value) = self.constant {
            return Expr::Logical(value != 0);
        }
        if self.scalar() == ScalarType::Logical {
            return self.e;
        }
        Expr::op(Op::Ne, [self.e, literal(0, self.ty)])
    }
}

/// An integer as `integer`, for subscripts, bounds and selectors. Conversions are moved to the operands of sums and
/// products, which C allows since overflow there is undefined. `is_index` is true of indices of counted loops.
pub(super) fn widen(e: Expr, from: Int, is_index: &dyn Fn(&Expr) -> bool) -> Expr {
    if from.scalar() == ScalarType::Integer {
        return e;
    }
    if let Some((_, cell)) = e
        .sized_constant()
        .filter(|_| from != Int::ULong && from != Int::ULLong)
    {
        return Expr::Int(cell);
    }
    match e {
        Expr::Op(op, operands)
            if operands.len() == 1
                && op.converts_to() == Some(from.scalar())
                && is_index(&operands[0]) =>
        {
            operands.into_vec().remove(0)
        }
        Expr::Op(op @ (Op::Add | Op::Sub | Op::Mul | Op::Neg | Op::Div | Op::Mod), operands)
            if from.is_signed() =>
        {
            let operands = operands.into_vec();
            Expr::op(
                op,
                operands
                    .into_iter()
                    .map(|e| widen(e, from, is_index))
                    .collect::<Vec<_>>(),
            )
        }
        e => Expr::op(Op::TO_INT, [e]),
    }
}
