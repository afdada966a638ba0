//! Partners: functions of one argument in one block whose values are the partials of each other, as in
//!
//! ```text
//! c := cos(a)
//! s := sin(a)
//! ```
//!
//! The adjoint of an assignment may read a variable where it would evaluate a function that another assignment of the
//! block evaluates, too. If that one is in front, its target has the value. The target of one behind may have its old
//! value again, so that the forward sweep records the value of the function; C compilers evaluate sine and cosine of
//! one argument together.

use cfg_core::{
    entity::VarId,
    flat::FlatStmt,
    ir::{Expr, Place, Role, Stmt, StmtKind},
};
use std::collections::HashMap;

use crate::{
    blocks::statement::Recording,
    code::{expressions::is_library_function, typing},
    plan::{adjoints::Written, draft::Draft},
};

/// Most assignments in front of one, and behind it, that are looked at.
const MOST_APART: usize = 16;

/// Most functions of one assignment for which partners are looked for.
const MOST_WANTED: usize = 16;

/// The source of a value that the adjoint of an assignment needs.
enum Partner {
    /// The variable that an assignment in front of it has given the value.
    InFront(Place),
    /// An assignment behind it evaluates the function of the same operands.
    Behind,
}

impl Draft<'_> {
    /// The adjoint of an assignment from values that other assignments of its block compute, if there are any.
    /// `by_operands`: its adjoint that evaluates them.
    pub(super) fn by_partners(
        &mut self,
        statement: &Stmt,
        by_operands: &[Stmt],
        twins: &mut HashMap<VarId, VarId>,
    ) -> Option<Written> {
        let mut wanted: Vec<&Expr> = Vec::new();
        for (_, value) in by_operands.iter().filter_map(|s| s.kind.assignment()) {
            value.walk(&mut |e| {
                if wanted.len() < MOST_WANTED && self.is_of_originals(e) && !wanted.contains(&e) {
                    wanted.push(e);
                }
            });
        }
        let mut found: Vec<(&Expr, Place)> = Vec::new();
        let mut recording = Recording::default();
        self.forward.temporaries.reset();
        for e in wanted {
            match self.partner(e) {
                Some(Partner::InFront(place)) => found.push((e, place)),
                Some(Partner::Behind) => {
                    let (_, twin) = recording.record(self, e.clone(), e, twins);
                    found.push((e, Place::whole(twin)));
                }
                None => {}
            }
        }
        if found.is_empty() {
            return None;
        }
        let mut code = by_operands.to_vec();
        for statement in &mut code {
            if let StmtKind::Assign { value, .. } = &mut statement.kind {
                *value = value.map(&mut |e| match found.iter().find(|(f, _)| **f == e) {
                    Some((_, place)) => Expr::Place(place.clone()),
                    None => e,
                });
            }
        }
        let last = (!recording.is_empty()).then(|| statement.clone());
        recording.finish(self, code, last, by_operands)
    }

    /// True of a function of a library over variables of the original.
    fn is_of_originals(&self, e: &Expr) -> bool {
        let mut are_originals = is_library_function(e);
        e.walk_places(&mut |p| are_originals &= p.var.index() < self.originals);
        are_originals
    }

    /// The partner that evaluates a function whose operands are as they are here.
    fn partner(&self, e: &Expr) -> Option<Partner> {
        let statements = self.cfg.vertex(self.scope.here.vertex).statements();
        let here = self.scope.here.statement;
        let changes = |target: &Place| {
            let mut changes = false;
            e.walk_places(&mut |p| changes |= self.locations.may_share(p.var, target.var));
            changes
        };
        let routine = &self.scope.routine;
        let mut written: Vec<&Place> = Vec::new();
        for statement in statements[..here].iter().rev().take(MOST_APART) {
            let FlatStmt::Assign { target, value } = FlatStmt::view(&statement.kind) else {
                break;
            };
            if changes(target) {
                break;
            }
            let stays = |target: &Place| {
                let variable = routine.variable(target.var);
                variable.role == Role::Local
                    && variable.rank() == 0
                    && !self.locations.is_shared(target.var)
                    && written.iter().all(|w| w.var != target.var)
            };
            if value == e && stays(target) && self.has_type_of(target, e) {
                return Some(Partner::InFront(target.clone()));
            }
            written.push(target);
        }
        let behind = statements.get(here..)?;
        for (k, statement) in behind.iter().take(MOST_APART).enumerate() {
            let FlatStmt::Assign { target, value } = FlatStmt::view(&statement.kind) else {
                break;
            };
            if k > 0 && value == e && self.has_type_of(target, e) {
                return Some(Partner::Behind);
            }
            if changes(target) {
                break;
            }
        }
        None
    }

    fn has_type_of(&self, target: &Place, e: &Expr) -> bool {
        let variables = &self.scope.routine.variables;
        let ty = typing::place_type(variables, target);
        ty.rank == 0 && ty.ty.is_real() && typing::expr_type(variables, e) == ty
    }
}
