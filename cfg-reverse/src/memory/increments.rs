//! Increments, which may be made in any order: assignments `v := v ± e` whose e reads no cell of v, and the parameters
//! that a routine does nothing with but increment.
//!
//! A formal is *only incremented* if each statement that names it increments it or passes it on to such a formal: the
//! greatest solution, found by taking out the formals that are named otherwise, and those passed on to these.

use cfg_core::{
    entity::{RoutineId, VarId},
    ir::{
        Expr, Op, Place, Program, Stmt, StmtKind,
        visit::{PlaceRole, Visit, walk_place, walk_statement},
    },
};
use fixedbitset::FixedBitSet;

use crate::code::expressions::as_place;

/// The operands that a statement adds to its target, or subtracts from it; none if it is no increment. `shares` says
/// whether two variables may have a cell in common.
pub(crate) fn added_operands(
    statement: &Stmt,
    shares: impl Fn(VarId, VarId) -> bool,
) -> Option<(&Place, Vec<&Expr>)> {
    let (target, mut value) = statement.kind.assignment()?;
    let is_target = |e: &Expr| as_place(e) == Some(target);
    let is_other = |e: &Expr| {
        let mut other = true;
        e.walk_places(&mut |p| other = other && !shares(p.var, target.var));
        other
    };
    let mut added = Vec::new();
    while let Expr::Op(op @ (Op::Add | Op::Sub), operands) = value {
        // The target, or the sum that has it, stands first; in a sum the target may stand anywhere.
        let of_sum = (operands.iter().position(is_target)).filter(|_| *op == Op::Add);
        let place = of_sum.unwrap_or(0);
        let others = operands.iter().enumerate().filter(|&(k, _)| k != place);
        added.extend(others.map(|(_, e)| e));
        value = operands.get(place)?;
    }
    if !is_target(value) {
        return None;
    }
    let mut all = added.iter().copied().chain(target.subscript_exprs());
    all.all(is_other).then_some((target, added))
}

/// The variables that a routine names other than as targets of increments and as arguments.
struct Named {
    variables: FixedBitSet,
}

impl<'ir> Visit<'ir> for Named {
    fn visit_statement(&mut self, statement: &'ir Stmt) {
        if let Some((target, added)) = added_operands(statement, |a, b| a == b) {
            let read = added.into_iter().chain(target.subscript_exprs());
            return read.for_each(|e| self.visit_expr(e, PlaceRole::Read));
        }
        walk_statement(self, statement);
    }

    fn visit_place(&mut self, place: &'ir Place, role: PlaceRole) {
        if !matches!(role, PlaceRole::Bind { .. }) {
            self.visit_variable(&place.var, role);
        }
        walk_place(self, place);
    }

    fn visit_variable(&mut self, v: &'ir VarId, _: PlaceRole) {
        self.variables.insert(v.index());
    }
}

/// The formals of each routine that it only increments, by position.
pub(crate) struct Increments(Vec<FixedBitSet>);

impl Increments {
    /// Looks at these routines of a program; all others increment nothing.
    pub(crate) fn find(program: &Program, among: &[RoutineId]) -> Self {
        let mut only = vec![FixedBitSet::new(); program.routines.len()];
        // By routine: a formal, and the formal of a caller that is passed on to it.
        let mut passed: Vec<Vec<(usize, RoutineId, usize)>> = vec![Vec::new(); only.len()];
        let mut open = Vec::new();
        for &r in among {
            let routine = program.routine(r);
            let mut named = Named {
                variables: FixedBitSet::with_capacity(routine.variables.len()),
            };
            named.visit_routine(routine);
            let own = &mut only[r.index()];
            own.grow(routine.parameters.len());
            for (k, v) in routine.parameter_ids().enumerate() {
                let is_only = routine.body.is_some() && !routine.aliased;
                own.set(k, is_only && !named.variables.contains(v.index()));
            }
            let positions = routine.parameter_positions();
            for statement in routine.statements() {
                if let StmtKind::Call {
                    callee, arguments, ..
                } = &statement.kind
                {
                    for (formal, argument) in arguments.iter().enumerate() {
                        let place = argument.as_ref().and_then(as_place);
                        if let Some(k) = place.and_then(|place| positions[place.var.index()]) {
                            passed[callee.index()].push((formal, r, k));
                        }
                    }
                }
            }
        }
        for r in (0..only.len()).map(RoutineId::new) {
            passed[r.index()].sort_unstable();
            let formals = passed[r.index()].iter().map(|of| of.0);
            open.extend(
                formals
                    .filter(|&k| !only[r.index()].contains(k))
                    .map(|k| (r, k)),
            );
        }
        while let Some((callee, formal)) = open.pop() {
            let passed = &passed[callee.index()];
            let first = passed.partition_point(|of| of.0 < formal);
            for &(_, r, k) in passed[first..].iter().take_while(|of| of.0 == formal) {
                if only[r.index()].contains(k) {
                    only[r.index()].remove(k);
                    open.push((r, k));
                }
            }
        }
        Self(only)
    }

    /// True if a routine does nothing but increment a formal.
    pub(crate) fn contains(&self, r: RoutineId, formal: usize) -> bool {
        self.0[r.index()].contains(formal)
    }
}
