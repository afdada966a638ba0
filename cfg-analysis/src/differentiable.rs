//! The operands on which an expression depends differentiably.

use cfg_core::ir::{Expr, Op, OpClass, Place, Routine};

/// Calls `visit` for every real place on which the expression depends differentiably.
pub fn differentiable_places<'e>(
    routine: &Routine,
    expr: &'e Expr,
    visit: &mut impl FnMut(&'e Place),
) {
    match expr {
        Expr::Int(_)
        | Expr::Real(_)
        | Expr::Real32(_)
        | Expr::Logical(_)
        | Expr::Null(_)
        | Expr::Addr(_) => {}
        Expr::Place(place) => {
            if routine.variable(place.var).ty.is_real() {
                visit(place);
            }
        }
        Expr::Op(op, operands) => {
            for (k, operand) in operands.iter().enumerate() {
                if is_differentiable_operand(*op, k) {
                    differentiable_places(routine, operand, visit);
                }
            }
        }
    }
}

/// False where the derivative with respect to the operand is zero or undefined everywhere.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "operators without a rule of their own here are treated alike"
)]
pub fn is_differentiable_operand(op: Op, operand: usize) -> bool {
    match op {
        Op::Eq
        | Op::Ne
        | Op::Lt
        | Op::Le
        | Op::Gt
        | Op::Ge
        | Op::And
        | Op::Or
        | Op::Not
        | Op::ToLogical
        | Op::Floor
        | Op::Ceil
        | Op::Round
        | Op::Trunc
        | Op::Any
        | Op::All
        | Op::MaxValPartial
        | Op::MinValPartial => false,
        _ if op.is_of_integers() => false,
        Op::Sign | Op::Fill => operand == 0,
        Op::If | Op::Polygamma => operand != 0,
        _ => op.class() != OpClass::Inquiry,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Conditions, orders, signs and operands that only decide have no derivatives; neither have whole operations that
    /// jump.
    #[test]
    fn operands_without_derivatives() {
        let found = |op| [0, 1, 2].map(|k| is_differentiable_operand(op, k));
        for (op, expected) in [
            (Op::Mul, [true; 3]),
            (Op::Max, [true; 3]),
            (Op::If, [false, true, true]),
            (Op::Polygamma, [false, true, true]),
            (Op::Sign, [true, false, false]),
            (Op::Fill, [true, false, false]),
            (Op::Lt, [false; 3]),
            (Op::Floor, [false; 3]),
            (Op::MaxValPartial, [false; 3]),
            (Op::Size, [false; 3]),
            (Op::Present, [false; 3]),
        ] {
            assert_eq!(found(op), expected, "{op:?}");
        }
    }
}
