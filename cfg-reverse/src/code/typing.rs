//! Type and rank of expressions in a valid routine.

use cfg_core::{
    flat::{Constant, FlatClass, FlatExpr},
    ir::{Expr, Op, Place, ScalarType},
};
pub(crate) use cfg_transform::lower::place_rank;

/// Element type and number of dimensions of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ExprType {
    pub(crate) ty: ScalarType,
    pub(crate) rank: usize,
}

/// The type of a place.
pub(crate) fn place_type(variables: &[cfg_core::ir::Variable], place: &Place) -> ExprType {
    ExprType {
        ty: variables[place.var.index()].ty,
        rank: place_rank(variables, place),
    }
}

/// The type of an expression of a flat program.
pub(crate) fn expr_type(variables: &[cfg_core::ir::Variable], expr: &Expr) -> ExprType {
    let scalar = |ty| ExprType { ty, rank: 0 };
    match FlatExpr::view(expr) {
        FlatExpr::Constant(Constant::Int(_)) => scalar(ScalarType::Integer),
        FlatExpr::Constant(Constant::Real(_)) => scalar(ScalarType::Real),
        FlatExpr::Constant(Constant::Real32(_)) => scalar(ScalarType::Real32),
        FlatExpr::Constant(Constant::Logical(_)) => scalar(ScalarType::Logical),
        FlatExpr::Place(place) => place_type(variables, place),
        FlatExpr::Op(op, operands) => op_type(op, operands.iter().map(|e| expr_type(variables, e))),
    }
}

/// The type of an operator's result from those of its operands.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "operators without a rule of their own here are treated alike"
)]
pub(crate) fn op_type(op: Op, operands: impl IntoIterator<Item = ExprType>) -> ExprType {
    let mut rank = 0;
    let mut numeric = ScalarType::Integer;
    let mut first = None;
    let mut second = None;
    let mut count: usize = 0;
    for (i, operand) in operands.into_iter().enumerate() {
        count += 1;
        rank = rank.max(operand.rank);
        if operand.ty.is_real() || matches!(operand.ty, ScalarType::Sized(_)) {
            numeric = operand.ty;
        }
        match i {
            0 => first = Some(operand.ty),
            1 => second = Some(operand.ty),
            _ => {}
        }
    }
    let conversion = op.converts_to();
    let ty = conversion.unwrap_or_else(|| match op {
        Op::Eq
        | Op::Ne
        | Op::Lt
        | Op::Le
        | Op::Gt
        | Op::Ge
        | Op::And
        | Op::Or
        | Op::Not
        | Op::Any
        | Op::All
        | Op::Present => ScalarType::Logical,
        _ if op.is_of_integers() => numeric,
        Op::Size | Op::LBound | Op::UBound => ScalarType::Integer,
        Op::If => {
            if second == Some(ScalarType::Logical) {
                ScalarType::Logical
            } else {
                numeric
            }
        }
        Op::Pow => {
            if first == Some(ScalarType::Integer) && second == Some(ScalarType::Integer) {
                ScalarType::Integer
            } else {
                numeric
            }
        }
        Op::Fill => first.unwrap_or(numeric),
        _ => numeric,
    });
    let rank = match FlatClass::view(op) {
        _ if op == Op::Fill => count.saturating_sub(1),
        FlatClass::Reduction | FlatClass::Inquiry => 0,
        FlatClass::Elemental | FlatClass::Transformational => rank,
    };
    ExprType { ty, rank }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ScalarType::{Integer, Logical, Real, Real32};

    /// Reals decide over integers, conditions and inquiries over neither; the largest rank is that of all.
    #[test]
    fn operators_have_the_types_and_ranks_of_their_operands() {
        let [real, integer, logical] =
            [Real, Integer, Logical].map(|ty| move |rank| ExprType { ty, rank });
        let real32 = |rank| ExprType { ty: Real32, rank };
        for (op, operands, expected) in [
            (Op::Add, vec![integer(0), real32(1)], real32(1)),
            (Op::Sub, vec![real(2), integer(0)], real(2)),
            (Op::Mul, vec![integer(0), integer(0)], integer(0)),
            (Op::Eq, vec![real(0), integer(0)], logical(0)),
            (Op::Lt, vec![real(1), integer(0)], logical(1)),
            (Op::And, vec![logical(0), logical(1)], logical(1)),
            (Op::Not, vec![logical(1)], logical(1)),
            (Op::Any, vec![logical(2)], logical(0)),
            (Op::Present, vec![real(1)], logical(0)),
            (Op::ToReal, vec![integer(1)], real(1)),
            (Op::ToReal32, vec![real(0)], real32(0)),
            (Op::BitAnd, vec![integer(1), integer(0)], integer(1)),
            (Op::Size, vec![real(2), integer(0)], integer(0)),
            (Op::LBound, vec![real(2), integer(0)], integer(0)),
            (Op::UBound, vec![real32(1), integer(0)], integer(0)),
            (Op::If, vec![logical(0), real(1), integer(0)], real(1)),
            (Op::If, vec![logical(0), integer(0), real(0)], real(0)),
            (Op::If, vec![logical(1), integer(0), integer(0)], integer(1)),
            (Op::If, vec![logical(0), logical(0), logical(0)], logical(0)),
            (Op::Pow, vec![integer(0), integer(0)], integer(0)),
            (Op::Pow, vec![real(0), integer(0)], real(0)),
            (Op::Pow, vec![integer(0), real(1)], real(1)),
            (
                Op::Fill,
                vec![logical(0), integer(0), integer(0)],
                logical(2),
            ),
            (Op::Fill, vec![real32(0), integer(0)], real32(1)),
            (Op::Sum, vec![real(2)], real(0)),
            (Op::MaxVal, vec![integer(1)], integer(0)),
            (Op::Transpose, vec![real(2)], real(2)),
        ] {
            assert_eq!(
                op_type(op, operands.clone()),
                expected,
                "{op:?} {operands:?}"
            );
        }
    }
}
