//! Diff-liveness: the locations whose values derivatives still need. An assignment whose value none needs is no part of
//! a gradient that leaves results of the original undefined.
//!
//! With Use'-(s), Use'+(s) and Kill(s) of [`tbr`](crate::tbr), and Use(s) the locations that s reads,
//!
//! ```text
//! Live(EXIT)  = the values that outlive the gradient
//! Live+(s)    = Live(behind s) ∪ Use'+(s)
//! Live-(s)    = Use'-(s) ∪ (Live+(s) \ Kill(s)) ∪ Use(s)    if s is no assignment, or if its target meets Live+(s)
//! Live-(s)    = Use'-(s) ∪ Live+(s)                         otherwise
//! ```
//!
//! and the union where paths part (L. Hascoët, V. Pascual, *The Tapenade AD tool*, INRIA RR-7957, sections 4.9 and 5.2).
//! The reads of a statement that is not needed do not count, so that a sum that nothing but itself reads is found, too.
//! Decisions stay, with all that they read. Values that the reverse sweep computes rather than pops need what they are
//! computed from.

use cfg_core::{
    dataflow::{Analysis, Direction, Position, Set},
    entity::{EdgeId, VarId, VertexId},
    ir::{Cfg, Extent, Intent, Place, Program, Role, Routine, ScalarType, Stmt, Vertex},
    memory::{
        access::{Access, Accesses, decision_accesses},
        effects::Effects,
        locations::Locations,
    },
};

use crate::{facts::meets, tbr::ReverseSweep};

/// The analysis of one routine. States are sets of locations.
#[derive(Clone, Debug)]
pub struct DiffLiveness<'a, S> {
    routine: &'a Routine,
    locations: &'a Locations,
    accesses: Accesses<'a>,
    sweep: S,
}

impl<'a, S: ReverseSweep> DiffLiveness<'a, S> {
    /// The analysis of a routine of a program with these effects, with the locations of that routine.
    pub fn new(
        program: &'a Program,
        effects: &'a Effects,
        routine: &'a Routine,
        locations: &'a Locations,
        sweep: S,
    ) -> Self {
        Self {
            routine,
            locations,
            accesses: Accesses::resolve(program, effects, routine),
            sweep,
        }
    }

    /// The effect of a statement on the state behind it. False if no derivative needs what the statement assigns.
    pub fn needing(&self, at: Position, statement: &Stmt, state: &mut Set) -> bool {
        self.insert_reads_behind(at, state);
        let target = statement.kind.assignment().map(|(target, _)| target);
        let is_needed = target.is_none_or(|target| self.is_needed(at, target, state));
        if is_needed {
            if let Some(target) = target.filter(|target| self.locations.replaces(target)) {
                (self.locations).each_location(target, &mut |l| state.remove(l.index()));
            }
            self.accesses.each_access(statement, &mut |access| {
                if let Access::Read(v) = access {
                    self.insert(v, state);
                }
            });
        }
        for &a in self.sweep.reads_before(at) {
            state.insert(a as usize);
        }
        is_needed
    }

    /// True if the value that an assignment gives to a place is needed. `behind`: Live+.
    fn is_needed(&self, at: Position, target: &Place, behind: &Set) -> bool {
        let variable = self.routine.variable(target.var);
        // The assignment gives a variable with deferred extents its shape, too.
        self.sweep.is_passed_over(at.vertex)
            || self.sweep.has_forward_code(at)
            || variable
                .shape
                .iter()
                .any(|dim| dim.extent == Extent::Deferred)
            || meets(self.locations, behind, target)
    }

    fn insert(&self, v: VarId, state: &mut Set) {
        (self.locations).each_location(&Place::whole(v), &mut |l| state.insert(l.index()));
    }

    fn insert_reads_behind(&self, at: Position, state: &mut Set) {
        for &a in self.sweep.reads_after(at) {
            state.insert(a as usize);
        }
        if let Some(inverse) = self.sweep.inverse(at) {
            inverse.walk_places(&mut |place| self.insert(place.var, state));
        }
    }
}

impl<S: ReverseSweep> Analysis for DiffLiveness<'_, S> {
    const NAME: &'static str = "diff-liveness";
    const DIRECTION: Direction = Direction::Backward;
    type Domain = Set;

    fn bottom(&self, _: &Cfg) -> Set {
        Set::new(self.locations.len())
    }

    /// Parameters that are `out`, the result and globals have to be defined at the end.
    fn boundary(&self, cfg: &Cfg) -> Set {
        let mut live = self.bottom(cfg);
        for v in (0..self.routine.variables.len()).map(VarId::new) {
            let outlives = match self.routine.variable(v).role {
                Role::Parameter { intent, .. } => intent == Intent::Out,
                Role::Global(_) => true,
                Role::Local => self.routine.result == Some(v),
            };
            if outlives && self.routine.variable(v).ty != ScalarType::Tape {
                self.insert(v, &mut live);
            }
        }
        live
    }

    fn statement(&self, at: Position, statement: &Stmt, state: &mut Set) {
        self.needing(at, statement, state);
    }

    fn decision(&self, v: VertexId, vertex: &Vertex, state: &mut Set) {
        decision_accesses(vertex, &mut |access| {
            if let Access::Read(v) = access {
                self.insert(v, state);
            }
        });
        self.sweep.decision_reads(v, &mut |e| {
            e.walk_places(&mut |place| self.insert(place.var, state));
        });
    }

    fn changes_on(&self, _: &Cfg, e: EdgeId) -> bool {
        let mut computes = false;
        self.sweep.computed(e, &mut |_, _| computes = true);
        computes || !self.sweep.reads_on(e).is_empty()
    }

    fn edge(&self, _: &Cfg, e: EdgeId, state: &mut Set) {
        for &a in self.sweep.reads_on(e) {
            state.insert(a as usize);
        }
        self.sweep.computed(e, &mut |_, evaluated| {
            for e in evaluated {
                e.walk_places(&mut |place| self.insert(place.var, state));
            }
        });
    }
}
