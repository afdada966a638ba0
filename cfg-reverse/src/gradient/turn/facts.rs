//! The accesses of a stretch of a structured graph: a routine from ENTRY to EXIT, the body of a loop, or what lies
//! between such a stretch and the next one.
//!
//! A location is *exposed* if some path through the stretch reads it before it surely overwrites it. With Sure(e) the
//! locations that every path from the start to the edge e overwrites,
//!
//! ```text
//! Sure-(v) = ⋂ Sure(e) over the edges e into v but back edges
//! Sure+(v) = Sure-(v) ∪ what v surely overwrites
//! ```
//!
//! Back edges may be left out: on them everything is overwritten that was so in front of the loop.

use cfg_core::{
    entity::{EdgeId, VarId, VertexId},
    ir::{Cfg, Role, Routine, ScalarType, Stmt, StmtKind, Vertex},
    memory::{
        access::{Access, Accesses, decision_accesses},
        effects::Effects,
        global_set::GlobalSet,
        locations::Locations,
        named::global_variables,
    },
    structure::Structure,
};
use fixedbitset::FixedBitSet;
use std::ops::Range;

use crate::{
    code::expressions::as_place,
    memory::increments::{Increments, added_operands},
};

/// The accesses of a stretch, as sets of locations.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    /// Locations that may be read before they are surely overwritten, increments included.
    pub(super) exposed: FixedBitSet,
    /// Locations that are read other than by increments.
    pub(super) read: FixedBitSet,
    /// Locations that are written other than by increments.
    pub(super) assigned: FixedBitSet,
    /// Locations that are incremented.
    pub(super) incremented: FixedBitSet,
    /// Locations that are overwritten on every path through the stretch.
    sure: FixedBitSet,
    /// True if the stretch pushes or pops.
    pub(super) has_tape: bool,
    /// True if the stretch may end the program.
    pub(super) stops: bool,
}

impl Facts {
    /// True if the stretch may write a location.
    pub(super) fn writes(&self, l: usize) -> bool {
        self.assigned.contains(l) || self.incremented.contains(l)
    }

    /// True if the stretch may read or write a location.
    pub(super) fn accesses(&self, l: usize) -> bool {
        self.read.contains(l) || self.writes(l)
    }

    /// True if the stretch does nothing with a location but increment it.
    pub(super) fn only_increments(&self, l: usize) -> bool {
        !self.read.contains(l) && !self.assigned.contains(l)
    }
}

/// A graph, and how its statements access memory.
pub(super) struct Graph<'a> {
    pub(super) cfg: &'a Cfg,
    pub(super) structure: &'a Structure,
    pub(super) accesses: &'a Accesses<'a>,
    pub(super) locations: &'a Locations,
    pub(super) routine: &'a Routine,
    pub(super) increments: &'a Increments,
}

impl Graph<'_> {
    /// The accesses of the vertices at these positions of [`Structure::order`], where `before` has been executed just
    /// before.
    pub(super) fn facts(&self, range: Range<usize>, before: Option<&Facts>) -> Facts {
        let n = self.locations.len();
        let empty = FixedBitSet::with_capacity(n);
        let mut facts = Facts {
            exposed: empty.clone(),
            read: empty.clone(),
            assigned: empty.clone(),
            incremented: empty.clone(),
            ..Facts::default()
        };
        let start = before.map_or(empty, |before| before.sure.clone());
        let mut after: Vec<Option<FixedBitSet>> = vec![None; self.cfg.vertex_count()];
        let order = &self.structure.order;
        for &v in &order[range.clone()] {
            facts.sure = self.sure_before(v, &after, &start);
            self.vertex(self.cfg.vertex(v), &mut facts);
            after[v.index()] = Some(facts.sure.clone());
        }
        facts.sure = match order.get(range.end) {
            Some(&next) => self.sure_before(next, &after, &start),
            None => facts.sure.clone(),
        };
        facts
    }

    /// True if the vertices at these positions do not write a variable.
    pub(super) fn is_steady(&self, range: Range<usize>, v: VarId) -> bool {
        !self.facts(range, None).writes(self.locations.of_variable(v).index())
    }

    /// True if routines that are called write no global but those that the routine names.
    pub(super) fn names_all_globals(&self, effects: &Effects) -> bool {
        let named: GlobalSet = global_variables(self.routine).map(|(_, g)| g).collect();
        let vertices = self.cfg.vertices();
        let mut callees = vertices
            .flat_map(|(_, vertex)| vertex.statements())
            .filter_map(|s| s.kind.callee());
        callees.all(|callee| effects.written(callee).minus(&named).is_empty())
    }

    fn sure_before(
        &self,
        v: VertexId,
        after: &[Option<FixedBitSet>],
        start: &FixedBitSet,
    ) -> FixedBitSet {
        let edges = self.cfg.in_edges(v).iter();
        let mut edges = edges.filter(|&&e| !self.structure.kind(e).loop_back);
        let on = |e: &EdgeId| {
            let from = self.cfg.edge(*e).from;
            after[from.index()].as_ref().unwrap_or(start)
        };
        let Some(first) = edges.next() else {
            return start.clone();
        };
        let mut sure = on(first).clone();
        edges.for_each(|e| sure.intersect_with(on(e)));
        sure
    }

    fn vertex(&self, vertex: &Vertex, facts: &mut Facts) {
        for statement in vertex.statements() {
            self.statement(statement, facts);
        }
        // The bounds of a counted loop are evaluated in front of it; a condition behind the body is evaluated where no
        // less is overwritten.
        decision_accesses(vertex, &mut |access| self.note(access, facts));
    }

    fn statement(&self, statement: &Stmt, facts: &mut Facts) {
        facts.has_tape |= match &statement.kind {
            StmtKind::Call { arguments, .. } => {
                let places = arguments.iter().flatten().filter_map(as_place);
                let mut types = places.map(|place| self.routine.variable(place.var).ty);
                types.any(|ty| ty == ScalarType::Tape)
            }
            kind => matches!(kind, StmtKind::Push { .. } | StmtKind::Pop { .. }),
        };
        facts.stops |= matches!(statement.kind, StmtKind::Stop { .. });
        let shares = |a: VarId, b: VarId| self.locations.may_share(a, b);
        if let Some((target, added)) = added_operands(statement, shares) {
            for e in added.into_iter().chain(target.subscript_exprs()) {
                e.walk_places(&mut |p| self.note(Access::Read(p.var), facts));
            }
            return self.increment(target.var, facts);
        }
        let incremented = self.incremented_arguments(statement);
        self.accesses.each_access(statement, &mut |access| {
            if !incremented.contains(&access.variable()) {
                self.note(access, facts);
            }
        });
        incremented.iter().for_each(|&v| self.increment(v, facts));
    }

    /// The variables that a call does nothing with but increment.
    fn incremented_arguments(&self, statement: &Stmt) -> Vec<VarId> {
        let StmtKind::Call {
            callee,
            arguments,
            result,
        } = &statement.kind
        else {
            return Vec::new();
        };
        let mut incremented = Vec::new();
        let mut others: Vec<VarId> = result.iter().map(|place| place.var).collect();
        for (k, argument) in arguments.iter().enumerate() {
            match argument.as_ref().and_then(as_place) {
                Some(place) if self.increments.contains(*callee, k) => {
                    incremented.push(place.var);
                    let subscripts = place.subscript_exprs();
                    subscripts.for_each(|e| e.walk_places(&mut |p| others.push(p.var)));
                }
                Some(_) | None => {
                    let argument = argument.iter();
                    argument.for_each(|e| e.walk_places(&mut |p| others.push(p.var)));
                }
            }
        }
        // The callee may name a global beside the formal that it is bound to.
        incremented.retain(|&v| {
            let is_global = matches!(self.routine.variable(v).role, Role::Global(_));
            !is_global && !self.locations.is_shared(v) && !others.contains(&v)
        });
        incremented
    }

    fn increment(&self, v: VarId, facts: &mut Facts) {
        let l = self.locations.of_variable(v).index();
        facts.incremented.insert(l);
        facts.exposed.set(l, facts.exposed.contains(l) || !facts.sure.contains(l));
    }

    fn note(&self, access: Access, facts: &mut Facts) {
        let v = access.variable();
        let l = self.locations.of_variable(v).index();
        match access {
            Access::Read(_) => {
                facts.read.insert(l);
                facts.exposed.set(l, facts.exposed.contains(l) || !facts.sure.contains(l));
            }
            Access::Write(_) => {
                facts.assigned.insert(l);
                facts.sure.set(l, facts.sure.contains(l) || !self.locations.is_shared(v));
            }
            Access::MayWrite(_) => facts.assigned.insert(l),
        }
    }
}
