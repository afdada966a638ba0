//! Places of parts as places in records, in all of a routine.

use super::{arguments::Formals, plan::Plan};
use crate::records::layout::Layouts;
use cfg_core::{
    entity::{VarId, VertexId},
    ir::{
        Expr, Op, Place, Range, StatementOrigin, Stmt, StmtKind, Subscript, Vertex,
        visit::{
            PlaceRole, VisitMut, walk_expr_mut, walk_place_mut, walk_statement_mut, walk_vertex_mut,
        },
    },
};
use std::collections::HashSet;

/// Rewrites a routine, the variables of which are the new ones already.
pub(super) struct Rewrite<'p> {
    pub(super) plan: &'p Plan,
    /// The parameters of all routines.
    pub(super) formals: &'p [Formals],
    pub(super) layouts: &'p Layouts<'p>,
    /// The statement of the original that each statement of the split routine was made from.
    pub(super) origins: &'p [StatementOrigin],
    /// The first call that cannot be written, in which vertex, and why.
    pub(super) problem: Option<(VertexId, String)>,
}

impl VisitMut for Rewrite<'_> {
    fn vertex(&mut self, id: VertexId, vertex: &mut Vertex) {
        let before = self.problem.is_some();
        walk_vertex_mut(self, vertex);
        if let (false, Some((at, _))) = (before, &mut self.problem) {
            *at = id;
        }
    }

    fn statement(&mut self, statement: &mut Stmt) {
        if let Some(number) = statement.origin.number() {
            let there = self.origins.get(number);
            statement.origin = there.copied().unwrap_or_default();
        }
        if let StmtKind::Call {
            callee,
            arguments,
            result,
        } = &mut statement.kind
        {
            for place in result.iter_mut() {
                self.place(place, PlaceRole::Define { whole: true });
            }
            let formals = &self.formals[callee.index()];
            match formals.bind(self, std::mem::take(arguments)) {
                Ok((all, returned)) => {
                    *arguments = all.into();
                    *result = returned.or(result.take());
                }
                Err(message) => {
                    self.problem.get_or_insert((VertexId::new(0), message));
                }
            }
            return;
        }
        walk_statement_mut(self, statement);
        if let StmtKind::Opaque { reads, writes, .. } = &mut statement.kind {
            for list in [reads, writes] {
                let mut seen = HashSet::new();
                let all = list.iter().copied().filter(|&v| seen.insert(v));
                *list = all.collect();
            }
        }
    }

    fn expr(&mut self, e: &mut Expr, role: PlaceRole) {
        walk_expr_mut(self, e, role);
        // A record is there if its fields are.
        if let Expr::Op(Op::Present, operands) = e
            && let [Expr::Place(place)] = &mut **operands
        {
            place.subscripts = Box::default();
        }
    }

    fn place(&mut self, place: &mut Place, _: PlaceRole) {
        walk_place_mut(self, place);
        let levels = self.levels(place);
        *place = joined(self.plan.ids[place.var.index()], &levels);
    }

    fn variable(&mut self, v: &mut VarId, _: PlaceRole) {
        *v = self.plan.ids[v.index()];
    }
}

/// A name of a place, the variable's or a field's, with the subscripts behind it, or none of the dimensions that there are.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Level {
    pub(super) field: Option<Box<str>>,
    pub(super) subscripts: Vec<Subscript>,
}

impl Level {
    /// True if it selects all elements, with subscripts or without.
    pub(super) fn is_whole(&self) -> bool {
        let all = |s: &Subscript| matches!(s, Subscript::Range(r) if **r == Range::default());
        self.subscripts.iter().all(all)
    }
}

impl Rewrite<'_> {
    /// The levels in its record of the place of a part; of another place its own subscripts.
    pub(super) fn levels(&self, place: &Place) -> Vec<Level> {
        let mut rest = place.subscripts.iter().cloned();
        let Some(home) = self.plan.homes[place.var.index()] else {
            return vec![Level {
                field: None,
                subscripts: rest.collect(),
            }];
        };
        let record = &self.plan.records[home.record];
        let layout = self.layouts.of(record.ty);
        let mut levels = vec![Level {
            field: None,
            subscripts: rest.by_ref().take(record.rank).collect(),
        }];
        for step in &layout.leaves[home.leaf].fields {
            levels.push(Level {
                field: Some(step.name.clone()),
                subscripts: rest.by_ref().take(step.rank).collect(),
            });
        }
        levels
    }
}

/// The place with these levels. Subscripts that select all are written only where no others are, since a place without
/// any has the lower bounds of its declaration.
pub(super) fn joined(var: VarId, levels: &[Level]) -> Place {
    let partial = levels.iter().any(|level| !level.is_whole());
    let mut subscripts = Vec::new();
    for level in levels {
        subscripts.extend(level.field.clone().map(Subscript::Field));
        if !(partial && level.is_whole()) {
            subscripts.extend(level.subscripts.iter().cloned());
        }
    }
    Place {
        var,
        subscripts: subscripts.into(),
    }
}
