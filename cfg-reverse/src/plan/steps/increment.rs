//! Assignments that add an amount to an integer scalar, and the assignments that undo them.
//!
//! In `v := v + c` the target is an operand of sums, differences and conversions that keep its value modulo 2^w, with
//! w the number of bits of the target's type. Then v is the value behind the assignment minus c, modulo 2^w. Arithmetic
//! that is checked needs no other rule: a run in which it overflows has no reverse sweep.

use cfg_core::{
    entity::VarId,
    flat::{Constant, FlatExpr},
    ir::{AnyInt, Conversion, Expr, Op, OpClass, Place, ScalarType, Variable},
};

use crate::code::typing::expr_type;

/// Most operators and operands of an amount. A pop takes a few instructions: a longer amount would be slower.
const MOST_NODES: usize = 16;

/// Most operators around the target.
const MOST_LEVELS: usize = 4;

/// The amount that an assignment adds to an integer scalar.
#[derive(Clone, Debug)]
pub(crate) struct Increment<'e> {
    pub(crate) target: VarId,
    /// The operands that are added, true of those that are subtracted.
    pub(crate) terms: Vec<(bool, &'e Expr)>,
    /// The operator, if it is the only one and has two operands of the target's type.
    plain: Option<Op>,
}

impl<'e> Increment<'e> {
    /// The amount that an assignment adds to its target, if it is an integer scalar and reads no real.
    pub(crate) fn of_assignment(
        variables: &[Variable],
        target: &Place,
        value: &'e Expr,
    ) -> Option<Self> {
        let variable = &variables[target.var.index()];
        let bits = bits(variable.ty)?;
        if !target.subscripts.is_empty() || variable.rank() > 0 || !is_short(variables, value) {
            return None;
        }
        let mut terms = Vec::new();
        let mut plain = None;
        let mut at = value;
        for level in 0..=MOST_LEVELS {
            let (op, operands) = match FlatExpr::view(at) {
                FlatExpr::Place(place) if place == target => {
                    return (level > 0).then_some(Self {
                        target: target.var,
                        terms,
                        plain: plain.filter(|_| level == 1),
                    });
                }
                FlatExpr::Op(op, operands) => (op, operands),
                FlatExpr::Place(_) | FlatExpr::Constant(_) => return None,
            };
            let mut with_target =
                (operands.iter().enumerate()).filter(|(_, e)| reads(e, target.var));
            let (k, inner) = match (with_target.next(), with_target.next()) {
                (Some(only), None) => only,
                _ => return None,
            };
            if self::bits(expr_type(variables, at).ty)? < bits {
                return None;
            }
            let others = || operands.iter().enumerate().filter(move |(j, _)| *j != k);
            match op.conversion() {
                Some((Conversion::To | Conversion::Wrap, _)) => {}
                Some((Conversion::Saturate, _)) => return None,
                None if matches!(op, Op::Add | Op::WrapAdd) => {
                    terms.extend(others().map(|(_, e)| (false, e)));
                }
                None if matches!(op, Op::Sub | Op::WrapSub) && k == 0 => {
                    terms.extend(others().map(|(_, e)| (true, e)));
                }
                None => return None,
            }
            plain = Some(op).filter(|_| operands.len() == 2);
            at = inner;
        }
        None
    }

    /// The value before the assignment, by the value behind it. `terms`: those of the increment, in a form that has
    /// the same values.
    pub(crate) fn inverse(&self, variables: &[Variable], terms: &[Expr]) -> Expr {
        let target = Expr::var(self.target);
        if let (Some(op), [term]) = (self.plain, terms) {
            return Expr::op(opposite(op), [target, term.clone()]);
        }
        let ty = variables[self.target.index()].ty;
        let signs = self.terms.iter().map(|(negative, _)| negative);
        let value = signs
            .zip(terms)
            .fold(word(variables, target), |value, (negative, term)| {
                let op = if *negative { Op::WrapAdd } else { Op::WrapSub };
                Expr::op(op, [value, word(variables, term.clone())])
            });
        of_word(ty, value)
    }
}

/// The operator that undoes a sum or difference with one other operand.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "sums and differences are the only operators with an opposite"
)]
fn opposite(op: Op) -> Op {
    match op {
        Op::Add => Op::Sub,
        Op::Sub => Op::Add,
        Op::WrapSub => Op::WrapAdd,
        _ => Op::WrapSub,
    }
}

/// The number of bits of an integer type.
fn bits(ty: ScalarType) -> Option<u32> {
    Some(match ty.any_int()? {
        AnyInt::Integer => i64::BITS,
        AnyInt::Sized(ty) => ty.bits(),
    })
}

/// True if an expression names a variable.
pub(crate) fn reads(e: &Expr, v: VarId) -> bool {
    let mut found = false;
    e.walk_places(&mut |p| found |= p.var == v);
    found
}

/// True if an expression has few operators and operands, none of which is real: compilers may compute with reals
/// otherwise in the reverse sweep than in the forward sweep.
pub(crate) fn is_short(variables: &[Variable], e: &Expr) -> bool {
    let mut nodes = 0;
    let mut open = vec![e];
    while let Some(e) = open.pop() {
        nodes += 1;
        let is_allowed = match FlatExpr::view(e) {
            FlatExpr::Constant(Constant::Int(_) | Constant::Logical(_)) => true,
            FlatExpr::Constant(Constant::Real(_) | Constant::Real32(_)) => false,
            FlatExpr::Place(place) => {
                open.extend(place.subscript_exprs());
                !variables[place.var.index()].ty.is_real()
            }
            FlatExpr::Op(op, operands) => {
                open.extend(operands);
                let is_of_scalars = matches!(op.class(), OpClass::Elemental | OpClass::Inquiry);
                is_of_scalars && !matches!(op, Op::ToReal | Op::ToReal32)
            }
        };
        if !is_allowed || nodes > MOST_NODES {
            return false;
        }
    }
    true
}

/// An integer expression modulo 2^64, as an `integer`.
pub(crate) fn word(variables: &[Variable], e: Expr) -> Expr {
    if let Some((_, cell)) = e.sized_constant() {
        return Expr::Int(cell);
    }
    match expr_type(variables, &e).ty.any_int() {
        Some(AnyInt::Sized(ty)) => {
            let how = match ty.max() > i128::from(i64::MAX) {
                true => Conversion::Wrap,
                false => Conversion::To,
            };
            Expr::op(Op::Convert(how, AnyInt::Integer), [e])
        }
        Some(AnyInt::Integer) | None => e,
    }
}

/// A number modulo 2^64 as a value of an integer type.
pub(crate) fn of_word(ty: ScalarType, e: Expr) -> Expr {
    match ty.any_int() {
        Some(to @ AnyInt::Sized(_)) => Expr::op(Op::Convert(Conversion::Wrap, to), [e]),
        Some(AnyInt::Integer) | None => e,
    }
}
