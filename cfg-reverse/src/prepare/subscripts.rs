//! Forward substitution of integers: a subscript that the reverse sweep can compute is not recorded.
//!
//! A local integer that is assigned `t := e` and used behind that in the same block is written as `e` there, if the
//! values that `e` reads are those of its assignment. The reverse sweep then needs what `e` reads in place of `t`. In a
//! loop, `t` would be recorded in each iteration, but what no statement of the loop writes is there without that. So
//! at most one of the scalars that `e` reads may be assigned in the innermost loop, once: it is recorded in place of
//! `t`. The check of a pointer is no part of `e`, since the assignment has made it
//! ([`Astray`]).
//!
//! Forward substitution: R. Allen and K. Kennedy, *Optimizing Compilers for Modern Architectures* (2001), section 4.5.

use cfg_core::{
    entity::{LocationId, VarId, VertexId},
    flat::{FlatClass, FlatExpr},
    ir::{Astray, Cfg, Expr, Program, Role, Routine, ScalarType, Stmt, StmtKind, VertexKind},
    memory::{locations::Locations, named::Named},
    structure::Structure,
};
use fixedbitset::FixedBitSet;
use std::collections::HashMap;

use crate::{memory::summary::Summary, prepare::hoist::needs_hoisting};

/// Most nodes of an expression that is written in place of a variable.
const MOST_NODES: usize = 40;

/// A place in the order of the structure: the position of a vertex, and the number of the statement.
type At = (u32, u32);

/// The statements that may write each location, in order.
struct Writes {
    of: Vec<Vec<At>>,
}

impl Writes {
    fn collect(
        (program, summary): (&Program, &Summary),
        (routine, cfg): (&Routine, &Cfg),
        (structure, locations): (&Structure, &Locations),
    ) -> Self {
        let named = Named::collect(routine);
        let mut of = vec![Vec::new(); locations.len()];
        for (position, &v) in (0..).zip(&structure.order) {
            for (s, statement) in (0..).zip(cfg.vertex(v).statements()) {
                summary.each_written(program, &named, statement, &mut |written| {
                    if let Some(all) = of.get_mut(locations.of_variable(written).index()) {
                        all.push((position, s));
                    }
                });
            }
        }
        Self { of }
    }

    /// The writes of a location from `first` on, before `end`.
    fn range(&self, location: LocationId, first: At, end: At) -> &[At] {
        let all = self.of.get(location.index()).map_or(&[][..], Vec::as_slice);
        let behind = &all[..all.partition_point(|at| *at < end)];
        &behind[behind.partition_point(|at| *at < first)..]
    }
}

/// A variable with its value, as an expression of what other variables have where it was assigned.
struct Known {
    value: Expr,
    at: At,
}

struct Substitution<'a> {
    routine: &'a Routine,
    structure: &'a Structure,
    tables: &'a FixedBitSet,
    locations: &'a Locations,
    writes: &'a Writes,
    known: HashMap<VarId, Known>,
}

/// Substitutes in the blocks of a routine; true if that changes a statement. `tables` has the globals that are tables
/// of first cells.
pub(crate) fn substitute(
    program: &Program,
    summary: &Summary,
    tables: &FixedBitSet,
    structure: &Structure,
    routine: &mut Routine,
) -> bool {
    let Some(mut cfg) = routine.body.take() else {
        return false;
    };
    let mut changed = false;
    if cfg.vertices().any(|(_, v)| {
        v.statements()
            .iter()
            .any(|s| temporary(routine, s).is_some())
    }) {
        let locations = Locations::divide(program, routine);
        let writes = Writes::collect((program, summary), (routine, &cfg), (structure, &locations));
        let mut substitution = Substitution {
            routine,
            structure,
            tables,
            locations: &locations,
            writes: &writes,
            known: HashMap::new(),
        };
        // The innermost loop around each vertex: that around a header is known before its body.
        let mut innermost: Vec<Option<VertexId>> = vec![None; cfg.vertex_count()];
        for (position, &v) in (0..).zip(&structure.order) {
            let header = structure.parent[v.index()];
            let is_loop =
                |header: &VertexId| matches!(cfg.vertex(*header).kind, VertexKind::Loop { .. });
            let around = header.and_then(|h| Some(h).filter(is_loop).or(innermost[h.index()]));
            innermost[v.index()] = around;
            if let VertexKind::Block(statements) = &mut cfg.vertex_mut(v).kind {
                let around = around.map(|header| extent(structure, header));
                changed |= substitution.block(statements, position, around);
            }
        }
    }
    routine.body = Some(cfg);
    changed
}

/// The local integer that a statement assigns, and its value.
fn temporary<'s>(routine: &Routine, statement: &'s Stmt) -> Option<(VarId, &'s Expr)> {
    let (target, value) = statement.kind.assignment()?;
    let variable = routine.variable(target.var);
    let is_own = variable.role == Role::Local && routine.result != Some(target.var);
    let is_integer = variable.ty.is_integer() && variable.rank() == 0;
    (is_own && is_integer).then_some((target.var, value))
}

/// The statements of a loop: the first, and the end.
fn extent(structure: &Structure, header: VertexId) -> (At, At) {
    let end = structure.partner(header).unwrap_or(header);
    let [first, last] = [header, end].map(|v| structure.position[v.index()]);
    ((first, 0), (last, u32::MAX))
}

impl Substitution<'_> {
    fn block(&mut self, statements: &mut [Stmt], position: u32, around: Option<(At, At)>) -> bool {
        self.known.clear();
        let mut changed = false;
        for (s, statement) in (0..).zip(statements.iter_mut()) {
            let at = (position, s);
            if let Some((t, value)) = temporary(self.routine, statement) {
                match self.value(value, at) {
                    Some(value) if self.is_there(&value, at, around) => {
                        self.known.insert(t, Known { value, at });
                    }
                    Some(_) | None => {
                        self.known.remove(&t);
                    }
                }
            } else if let StmtKind::Assign { target, value } = &statement.kind
                && !self.known.is_empty()
            {
                let kind = StmtKind::Assign {
                    target: target.map_subscripts(&mut |e| self.substituted(e, at)),
                    value: self.substituted(value, at),
                };
                if kind != statement.kind && !needs_hoisting(self.routine, &kind) {
                    statement.kind = kind;
                    changed = true;
                }
            }
        }
        changed
    }

    /// The expression with the values of variables that are known at a statement.
    fn substituted(&self, e: &Expr, at: At) -> Expr {
        e.map(&mut |e| {
            if let Expr::Place(place) = &e
                && place.subscripts.is_empty()
                && let Some(known) = self.known.get(&place.var)
                && self.lasts(place.var, known, at)
            {
                return known.value.clone();
            }
            e
        })
    }

    /// True if neither a variable nor what its value reads is written between its assignment and a statement.
    fn lasts(&self, t: VarId, known: &Known, at: At) -> bool {
        let behind = (known.at.0, known.at.1 + 1);
        let is_written = |v: VarId, first| {
            !(self.writes.range(self.locations.of_variable(v), first, at)).is_empty()
        };
        let mut lasts = !is_written(t, behind);
        (known.value).walk_places(&mut |place| lasts &= !is_written(place.var, known.at));
        lasts
    }

    /// The value of a variable that is assigned, in terms of variables whose values are not known; `None` if the
    /// reverse sweep should not compute it.
    fn value(&self, e: &Expr, at: At) -> Option<Expr> {
        let mut e = e;
        let is_table = |v: VarId| match self.routine.variable(v).role {
            Role::Global(g) => self.tables.contains(g.index()),
            Role::Local | Role::Parameter { .. } => false,
        };
        while let Some(value) = Astray::value_if_none(e, is_table) {
            e = value;
        }
        let value = self.substituted(e, at);
        let (mut nodes, mut computable) = (0, true);
        value.walk(&mut |e| {
            nodes += 1;
            computable &= match FlatExpr::view(e) {
                FlatExpr::Constant(_) => !matches!(e, Expr::Real(_) | Expr::Real32(_)),
                FlatExpr::Place(place) => {
                    let variable = self.routine.variable(place.var);
                    let is_scalar = place.subscripts.len() == variable.rank()
                        && place.subscripts.iter().all(|s| s.index().is_some());
                    is_scalar && (variable.ty.is_integer() || variable.ty == ScalarType::Logical)
                }
                FlatExpr::Op(op, _) => matches!(FlatClass::view(op), FlatClass::Elemental),
            };
        });
        (computable && nodes <= MOST_NODES).then_some(value)
    }

    /// True if the reverse sweep has what an expression reads without more records than of the variable itself. What
    /// counts is written in the loop around, or behind the assignment in a routine without. There the variable is
    /// recorded once, and what callers see is not read in its place: they would have to keep it.
    fn is_there(&self, e: &Expr, at: At, around: Option<(At, At)>) -> bool {
        let (first, end) = around.unwrap_or((at, (u32::MAX, u32::MAX)));
        let (mut there, mut recorded) = (true, None);
        e.walk_places(&mut |place| {
            let variable = self.routine.variable(place.var);
            let is_local = variable.role == Role::Local;
            let location = self.locations.of_variable(place.var);
            let is_recorded_once = match self.writes.range(location, first, end) {
                [] => true,
                // A write in a loop further in would be recorded in each of its passes.
                [write] => {
                    is_local
                        && variable.rank() == 0
                        && self.depth(write.0) == self.depth(at.0)
                        && *recorded.get_or_insert(place.var) == place.var
                }
                _ => false,
            };
            there &= is_local || around.is_some();
            there &= is_recorded_once;
        });
        there
    }

    /// The number of loops around a position.
    fn depth(&self, position: u32) -> u32 {
        let v = self.structure.order.get(position as usize);
        v.map_or(0, |v| self.structure.loop_depth[v.index()])
    }
}
