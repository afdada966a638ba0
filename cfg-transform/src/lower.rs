//! Decisions that all compilers of flat programs share: they are made here, once, so that compilers only translate
//! them.
//!
//! - [`Convention`]: how the parameters of a routine are passed.
//! - [`BoundCall`]: how the arguments of a call reach their parameters, and which of them may share cells.
//! - [`increment`]: the value that an assignment adds to its target.

mod call;
mod convention;

pub use call::{Argument, BoundCall, Call, ComparedPair, SharedCells, Target};
pub use convention::{Convention, Conventions, Pass, is_passed_by_value};

use cfg_core::ir::{Expr, Op, Place, Variable};

/// The number of dimensions of a place without fields and steps through pointers.
pub fn place_rank(variables: &[Variable], place: &Place) -> usize {
    match &place.subscripts[..] {
        [] => variables[place.var.index()].rank(),
        subscripts => subscripts.iter().filter(|s| s.index().is_none()).count(),
    }
}

/// The operand that a value adds to its target, or subtracts from it if the flag is true: `rest` in `target + rest`,
/// `rest + target` and `target - rest`.
pub fn increment(value: &Expr, is_target: impl Fn(&Expr) -> bool) -> Option<(&Expr, bool)> {
    let Expr::Op(op @ (Op::Add | Op::Sub), operands) = value else {
        return None;
    };
    match &**operands {
        [left, right] if is_target(left) => Some((right, *op == Op::Sub)),
        [left, right] if *op == Op::Add && is_target(right) => Some((left, false)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfg_core::entity::VarId;

    #[test]
    fn increments_are_found_on_both_sides_of_a_sum() {
        let [x, y] = [0, 1].map(|k| Expr::var(VarId::new(k)));
        let of = |op, operands: &[&Expr]| {
            let value = Expr::op(op, operands.iter().map(|e| (*e).clone()));
            increment(&value, |e| *e == x).map(|(rest, negative)| (rest.clone(), negative))
        };
        assert_eq!(of(Op::Add, &[&x, &y]), Some((y.clone(), false)));
        assert_eq!(of(Op::Add, &[&y, &x]), Some((y.clone(), false)));
        assert_eq!(of(Op::Add, &[&x, &x]), Some((x.clone(), false)));
        assert_eq!(of(Op::Sub, &[&x, &y]), Some((y.clone(), true)));
        assert_eq!(of(Op::Sub, &[&y, &x]), None);
        assert_eq!(of(Op::Add, &[&x, &y, &y]), None);
        assert_eq!(of(Op::Mul, &[&x, &y]), None);
        assert_eq!(of(Op::Add, &[&y, &y]), None);
    }
}
