//! Rewriting all places of parts in a routine as places in records.

use super::{arguments::Formals, plan::Plan};
use crate::records::layout::Layouts;
use cfg_core::{
    entity::{VarId, VertexId},
    ir::{
        Expr, Op, Place, StatementOrigin, Stmt, StmtKind, Vertex,
        visit::{
            PlaceRole, VisitMut, walk_expr_mut, walk_place_mut, walk_statement_mut, walk_vertex_mut,
        },
    },
};
use std::collections::HashSet;

/// Rewrites a routine that has the new variables already.
pub(super) struct Rewrite<'p> {
    pub(super) plan: &'p Plan,
    /// The parameters of all routines.
    pub(super) formals: &'p [Formals],
    pub(super) layouts: &'p Layouts<'p>,
    /// The statement of the original that each statement of the split routine was made from.
    pub(super) origins: &'p [StatementOrigin],
    /// The vertex of the first call that cannot be written, and the reason.
    pub(super) problem: Option<(VertexId, String)>,
}

impl VisitMut for Rewrite<'_> {
    fn visit_vertex(&mut self, id: VertexId, vertex: &mut Vertex) {
        let before = self.problem.is_some();
        walk_vertex_mut(self, vertex);
        if let (false, Some((at, _))) = (before, &mut self.problem) {
            *at = id;
        }
    }

    fn visit_statement(&mut self, statement: &mut Stmt) {
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
                self.visit_place(place, PlaceRole::Define { whole: true });
            }
            // Only the subscripts are rewritten first, since binding needs the old places.
            for e in arguments.iter_mut().flatten() {
                match e {
                    Expr::Place(place) => walk_place_mut(self, place),
                    Expr::Op(..) => self.visit_expr(e, PlaceRole::Read),
                    Expr::Int(_)
                    | Expr::Real(_)
                    | Expr::Real32(_)
                    | Expr::Logical(_)
                    | Expr::Null(_)
                    | Expr::Addr(_) => {}
                }
            }
            let formals = &self.formals[callee.index()];
            match formals.bind(self.plan, self.layouts, arguments) {
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

    fn visit_expr(&mut self, e: &mut Expr, role: PlaceRole) {
        walk_expr_mut(self, e, role);
        // An optional record is present if its fields are.
        if let Expr::Op(Op::Present, operands) = e
            && let [Expr::Place(place)] = &mut **operands
        {
            place.subscripts = Box::default();
        }
    }

    fn visit_place(&mut self, place: &mut Place, _: PlaceRole) {
        walk_place_mut(self, place);
        *place = self.plan.regroup_place(self.layouts, place);
    }

    fn visit_variable(&mut self, v: &mut VarId, _: PlaceRole) {
        *v = self.plan.ids[v.index()];
    }
}
