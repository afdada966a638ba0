//! Calls of derivative routines that the user gives.
//!
//! The sweep around the call goes on with its primal values. Therefore a given routine gets copies of all primal
//! values that it may write.

use cfg_core::{
    diagnostic::CodeInfo,
    entity::VarId,
    ir::{Expr, Intent, Op, Order, Place, Role, Routine, ScalarType, Stmt, Subscript, Variable},
};

use crate::{
    code::{
        expressions::{as_place, zero},
        typing::{self, ExprType},
    },
    codes,
    partials::scope::Scope,
};

/// Statements around a call.
#[derive(Default)]
pub(crate) struct Around {
    pub(crate) before: Vec<Stmt>,
    pub(crate) after: Vec<Stmt>,
}

/// A copy of an actual argument: the copy as the argument, the copy as a whole, and the original.
struct Copied {
    argument: Place,
    copy: Place,
    source: Place,
}

/// The argument that is handed in place of an actual argument for the value of a variable.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Primal {
    /// The actual argument is handed as it is.
    Itself,
    /// A copy, if the given routine may write it.
    Copy,
    /// The value of the argument is not specified. Zeros of its shape are handed, if the routine may write the
    /// argument or if it has no value.
    Unspecified,
}

/// Replaces the actual arguments of `given` as `wanted` says.
pub(crate) fn protect(
    scope: &mut Scope,
    given: &Routine,
    arguments: &mut [Option<Expr>],
    wanted: impl Fn(usize) -> Primal,
    around: &mut Around,
) -> Result<(), (&'static CodeInfo, String)> {
    for (i, (p, argument)) in given.parameter_ids().zip(arguments).enumerate() {
        let formal = given.variable(p);
        let writes = formal.intent().is_some_and(Intent::writes);
        let Some(actual) = argument else { continue };
        let unspecified = match wanted(i) {
            Primal::Itself => continue,
            Primal::Copy => false,
            Primal::Unspecified => true,
        };
        // A local may have no value in the sweep, so it cannot be copied.
        let is_local = |p: &Place| scope.routine.variable(p.var).role == Role::Local;
        let has_no_value = unspecified && as_place(actual).is_some_and(is_local);
        if !(writes || has_no_value) || formal.ty == ScalarType::Tape {
            continue;
        }
        let Some(place) = as_place(actual) else {
            let ty = typing::expr_type(&scope.routine.variables, actual);
            let t = Place::whole(take(scope, ty, Order::Row));
            let value = std::mem::replace(actual, Expr::Place(t.clone()));
            around.before.push(Stmt::assign(t, value));
            continue;
        };
        let variable = scope.routine.variable(place.var);
        if matches!(variable.role, Role::Parameter { optional: true, .. }) {
            return Err((
                &codes::GIVEN,
                format!(
                    "`{}` may write `{}`, for which it is given the optional `{}`",
                    given.name, formal.name, variable.name
                ),
            ));
        }
        let copied = copy(scope, place, formal, &mut around.before);
        // A copy of an array that is only written needs its shape alone.
        let rank = typing::place_rank(&scope.routine.variables, &copied.copy);
        if formal.intent() != Some(Intent::Out) || formal.rank() > 0 {
            let value = match unspecified {
                false => Expr::Place(copied.source),
                true if rank == 0 => zero(formal.ty),
                true => {
                    let size = |k| [Expr::Place(copied.source.clone()), Expr::Int(k as i64)];
                    let extents = (1..=rank).map(|k| Expr::op(Op::Size, size(k)));
                    Expr::op(Op::Fill, std::iter::once(zero(formal.ty)).chain(extents))
                }
            };
            around.before.push(Stmt::assign(copied.copy, value));
        }
        *actual = Expr::Place(copied.argument);
    }
    Ok(())
}

/// Replaces an adjoint argument by zeros, which are added to it after the call.
pub(crate) fn accumulate(
    scope: &mut Scope,
    formal: &Variable,
    argument: &mut Option<Expr>,
    around: &mut Around,
) {
    let Some(place) = argument.as_ref().and_then(as_place) else {
        return;
    };
    let Copied {
        argument: passed,
        copy,
        source,
    } = copy(scope, place, formal, &mut around.before);
    if typing::place_rank(&scope.routine.variables, &source) > 0 {
        let shape = Stmt::assign(copy.clone(), Expr::Place(source.clone()));
        around.before.push(shape);
    }
    let blank = Stmt::assign(copy.clone(), zero(formal.ty));
    around.before.push(blank);
    let sum = [Expr::Place(source.clone()), Expr::Place(copy)];
    around
        .after
        .push(Stmt::assign(source, Expr::op(Op::Add, sum)));
    *argument = Some(Expr::Place(passed));
}

/// Gives a global its value back after the call.
pub(crate) fn keep(scope: &mut Scope, v: VarId, around: &mut Around) {
    let place = Place::whole(v);
    let ty = typing::place_type(&scope.routine.variables, &place);
    let t = take(scope, ty, Order::Row);
    let kept = Stmt::assign(Place::whole(t), Expr::Place(place.clone()));
    around.before.push(kept);
    around.after.push(Stmt::assign(place, Expr::var(t)));
}

/// A temporary for the cells that the formal is bound to.
fn copy(scope: &mut Scope, place: &Place, formal: &Variable, before: &mut Vec<Stmt>) -> Copied {
    let variable = scope.routine.variable(place.var);
    let order = variable.order;
    if !place.is_element() || formal.rank() == 0 {
        let ty = typing::place_type(&scope.routine.variables, place);
        let copy = Place::whole(take(scope, ty, order));
        return Copied {
            argument: copy.clone(),
            copy,
            source: place.clone(),
        };
    }
    // An element bound to an array stands for the cells from it on.
    let ty = ExprType {
        ty: variable.ty,
        rank: variable.rank(),
    };
    let lower = variable.shape.iter().map(|d| d.lower == Expr::Int(1));
    let lower: Vec<bool> = lower.collect();
    let mut subscripts = place.subscripts.clone();
    for (k, s) in subscripts.iter_mut().enumerate() {
        if let (Subscript::Index(i), false) = (s, lower[k]) {
            // The copy's lower bounds are 1.
            let integer = ExprType {
                ty: ScalarType::Integer,
                rank: 0,
            };
            let t = Place::whole(take(scope, integer, Order::Row));
            let lower = [Expr::var(place.var), Expr::Int(k as i64 + 1)];
            let from_0 = [Expr::Place(t.clone()), Expr::op(Op::LBound, lower)];
            let from_1 = [Expr::op(Op::Sub, from_0), Expr::Int(1)];
            let index = std::mem::replace(i, Expr::op(Op::Add, from_1));
            before.push(Stmt::assign(t, index));
        }
    }
    let t = take(scope, ty, order);
    Copied {
        argument: Place { var: t, subscripts },
        copy: Place::whole(t),
        source: Place::whole(place.var),
    }
}

fn take(scope: &mut Scope, ty: ExprType, order: Order) -> VarId {
    (scope.temporaries).take_in_order(&mut scope.routine, &mut scope.namer, "p", ty, order)
}
