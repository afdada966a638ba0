//! Calls of derivative routines that the user gives.
//!
//! The sweep that calls one goes on with the primal values, so whatever such a routine may write of them
//! it is handed as a copy.

use cfg_core::{
    diagnostic::CodeInfo,
    entity::{RoutineId, VarId},
    ir::{Expr, Intent, Op, Order, Place, Role, Routine, ScalarType, Stmt, Subscript, Variable},
};

use std::collections::HashSet;

use crate::{
    assignment::Scope,
    codes,
    draft::{Context, Draft, as_place, call},
    linearize::zero,
    statement::{Reads, StatementAdjoint, StatementCode, Written},
    typing::{self, ExprType},
};

/// Statements around a call.
#[derive(Default)]
pub(crate) struct Around {
    pub(crate) before: Vec<Stmt>,
    pub(crate) after: Vec<Stmt>,
}

/// Where a copy of an actual argument is: the copy as the argument, all of the copy, what it is a copy of.
struct Copied {
    argument: Place,
    copy: Place,
    source: Place,
}

impl<'p> Draft<'p> {
    /// A call whose adjoint is a routine that the user gives.
    pub(crate) fn given(
        &mut self,
        context: &Context,
        routine: &Routine,
        callee: RoutineId,
        adjoint: RoutineId,
        arguments: &[Option<Expr>],
        result: Option<&Place>,
    ) -> Result<Written, (&'static CodeInfo, String)> {
        let called = context.program.routine(callee);
        let touched = self.globals.among(&context.effects.touched[callee.index()]);
        let mut globals = touched.iter();
        if let Some(v) = globals.find(|v| context.is_active(self.id, routine, **v)) {
            let message = format!(
                "`{}` has a given adjoint and uses the global `{}`, which has a derivative",
                called.name,
                routine.variable(*v).name
            );
            return Err((&codes::GIVEN, message));
        }
        if !self.touches_active(context, called, callee) {
            return Ok(Default::default());
        }
        self.scope.temporaries.reset();
        let given_routine = context.program.routine(adjoint);
        let mut all = self.with_adjoints(arguments, called, result, false);
        let primal = arguments.len() + usize::from(result.is_some());
        let mut around = Around::default();
        let scope = &mut self.scope;
        // Adjoints share cells where the actuals do, of which the classes are known.
        let formals = called.parameter_ids().chain(called.result);
        let real: Vec<(&Variable, Option<u32>)> = (formals.zip(&all))
            .map(|(p, actual)| (called.variable(p), actual))
            .filter(|(formal, _)| formal.ty.is_real())
            .map(|(formal, actual)| {
                let place = actual.as_ref().and_then(as_place);
                (formal, place.map(|p| scope.class(p.var)))
            })
            .collect();
        protect(scope, given_routine, &mut all, |i| i < primal, &mut around)?;
        // Actuals that are only read may overlap. Their adjoints are written.
        let adjoints: Vec<_> = (real.into_iter().zip(&mut all[primal..]))
            .filter_map(|((formal, class), e)| Some((formal, class?, e)))
            .filter(|(_, _, e)| e.is_some())
            .collect();
        let is_read = |formal: &Variable| formal.intent() == Some(Intent::In);
        // Those that are used and changed in place, and one of each class of the others, keep their cells.
        let changed = adjoints.iter().filter(|(formal, ..)| !is_read(formal));
        let mut taken: HashSet<u32> = changed.map(|&(_, class, _)| class).collect();
        for (formal, class, e) in adjoints {
            if is_read(formal) && !taken.insert(class) {
                accumulate(scope, formal, e, &mut around);
            }
        }
        let written = &context.effects.written[adjoint.index()];
        for v in self.globals.among(written) {
            keep(scope, v, &mut around);
        }
        let reads_before = Reads::default().with(|add| {
            let mut add = |v| self.atoms.of_var(v, &mut |a| add(a));
            each_read(called, arguments, &mut add);
            touched.iter().for_each(|&v| add(v));
        });
        let Around { before, after } = around;
        let code = StatementCode {
            reads_before,
            ..StatementCode::default()
        };
        let adjoint = StatementAdjoint {
            before_pops: Vec::new(),
            code: (before.into_iter().chain([call(adjoint, all)]).chain(after)).collect(),
            after_pops: true,
        };
        Ok((code, adjoint))
    }
}

/// Variables whose values a user's adjoint routine reads.
fn each_read(called: &Routine, arguments: &[Option<Expr>], mut visit: impl FnMut(VarId)) {
    for (p, argument) in called.parameter_ids().zip(arguments) {
        let Some(argument) = argument else { continue };
        let out = called.variable(p).intent() == Some(Intent::Out);
        match argument {
            Expr::Place(place) => {
                if !out {
                    visit(place.var);
                }
                for e in place.subscript_exprs() {
                    e.walk_places(&mut |p| visit(p.var));
                }
            }
            e => e.walk_places(&mut |p| visit(p.var)),
        }
    }
}

/// Hands `given` copies of the actual arguments that are chosen and that it may write.
pub(crate) fn protect(
    scope: &mut Scope,
    given: &Routine,
    arguments: &mut [Option<Expr>],
    chosen: impl Fn(usize) -> bool,
    around: &mut Around,
) -> Result<(), (&'static CodeInfo, String)> {
    for (i, (p, argument)) in given.parameter_ids().zip(arguments).enumerate() {
        let formal = given.variable(p);
        let writes = formal.intent().is_some_and(Intent::writes);
        let Some(actual) = argument else { continue };
        if !chosen(i) || !writes || formal.ty == ScalarType::Tape {
            continue;
        }
        let Some(place) = as_place(actual) else {
            let ty = typing::of(&scope.routine.variables, actual);
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
        // An array that is only written needs the shape.
        if formal.intent() != Some(Intent::Out) || formal.rank() > 0 {
            let value = Expr::Place(copied.source);
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
    let ty = typing::of_place(&scope.routine.variables, &place);
    if ty.ty == ScalarType::Tape {
        return;
    }
    let t = take(scope, ty, Order::Row);
    let kept = Stmt::assign(Place::whole(t), Expr::Place(place.clone()));
    around.before.push(kept);
    around.after.push(Stmt::assign(place, Expr::var(t)));
}

/// A temporary for what the formal is bound to.
fn copy(scope: &mut Scope, place: &Place, formal: &Variable, before: &mut Vec<Stmt>) -> Copied {
    let variable = scope.routine.variable(place.var);
    let order = variable.order;
    if !place.is_element() || formal.rank() == 0 {
        let ty = typing::of_place(&scope.routine.variables, place);
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
