//! Scalar expressions evaluated on the host's side: extents of globals and of arguments.

use cfg_core::{
    elemental::{Math, Scalar, apply},
    entity::VarId,
    flat::{Constant, FlatExpr},
    ir::{Expr, Op, Place},
};

/// The variables that an expression asks about: values, bounds, presence.
pub(crate) trait Environment {
    /// The value of a scalar variable or an element; `None` if there is none.
    fn value(&self, v: VarId, subscripts: &[i64]) -> Option<Scalar>;
    /// Lower bound and extent of each dimension.
    fn bounds(&self, v: VarId) -> Option<Vec<(i64, i64)>>;
    /// True if an argument was given.
    fn present(&self, v: VarId) -> bool;
    /// The implementation that computes transcendental functions.
    fn math(&self) -> Math;
}

/// An environment in which no variable is known.
pub(crate) struct Constants(pub(crate) Math);

impl Environment for Constants {
    fn value(&self, _: VarId, _: &[i64]) -> Option<Scalar> {
        None
    }
    fn bounds(&self, _: VarId) -> Option<Vec<(i64, i64)>> {
        None
    }
    fn present(&self, _: VarId) -> bool {
        false
    }
    fn math(&self) -> Math {
        self.0
    }
}

/// The value of an expression; `None` if it cannot be computed here or is an error.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "operators without a rule of their own here are treated alike"
)]
pub(crate) fn evaluate(e: &Expr, environment: &impl Environment) -> Option<Scalar> {
    match FlatExpr::view(e) {
        FlatExpr::Constant(Constant::Int(n)) => Some(Scalar::Integer(n)),
        FlatExpr::Constant(Constant::Real(x)) => Some(Scalar::Real(x)),
        FlatExpr::Constant(Constant::Real32(x)) => Some(Scalar::Real32(x)),
        FlatExpr::Constant(Constant::Logical(b)) => Some(Scalar::Logical(b)),
        FlatExpr::Place(place) => {
            let subscripts: Option<Vec<i64>> = place
                .subscripts
                .iter()
                .map(|s| integer(s.index()?, environment))
                .collect();
            environment.value(place.var, &subscripts?)
        }
        FlatExpr::Op(op, operands) => match (op, operands) {
            (Op::If, [condition, yes, no]) => match evaluate(condition, environment)? {
                Scalar::Logical(true) => evaluate(yes, environment),
                Scalar::Logical(false) => evaluate(no, environment),
                Scalar::Real(_) | Scalar::Real32(_) | Scalar::Integer(_) | Scalar::Sized(..) => {
                    None
                }
            },
            (Op::And | Op::Or, operands) => {
                let stop = op == Op::Or;
                for e in operands {
                    match evaluate(e, environment)? {
                        Scalar::Logical(b) if b == stop => return Some(Scalar::Logical(stop)),
                        Scalar::Logical(_) => {}
                        Scalar::Real(_)
                        | Scalar::Real32(_)
                        | Scalar::Integer(_)
                        | Scalar::Sized(..) => return None,
                    }
                }
                Some(Scalar::Logical(!stop))
            }
            (Op::Present, [Expr::Place(place)]) => {
                Some(Scalar::Logical(environment.present(place.var)))
            }
            (Op::Size | Op::LBound | Op::UBound, [Expr::Place(Place { var, .. }), rest @ ..]) => {
                let bounds = environment.bounds(*var)?;
                let Some(k) = rest.first() else {
                    let n = bounds
                        .iter()
                        .try_fold(1i64, |n, (_, extent)| n.checked_mul(*extent))?;
                    return Some(Scalar::Integer(n));
                };
                let k = usize::try_from(integer(k, environment)?).ok()?;
                let (lower, extent) = *bounds.get(k.checked_sub(1)?)?;
                Some(Scalar::Integer(match op {
                    Op::Size => extent,
                    Op::LBound => lower,
                    _ => lower.checked_add(extent)?.checked_sub(1)?,
                }))
            }
            _ => {
                let operands: Option<Vec<Scalar>> =
                    operands.iter().map(|e| evaluate(e, environment)).collect();
                apply(op, &operands?, environment.math()).ok()
            }
        },
    }
}

/// The value of an integer expression.
pub(crate) fn integer(e: &Expr, environment: &impl Environment) -> Option<i64> {
    match evaluate(e, environment)? {
        Scalar::Integer(n) => Some(n),
        Scalar::Real(_) | Scalar::Real32(_) | Scalar::Sized(..) | Scalar::Logical(_) => None,
    }
}
