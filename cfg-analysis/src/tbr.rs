//! To be recorded (TBR): the locations whose present values the reverse sweep reads, so that they must be saved before
//! they are overwritten.
//!
//! Let Use'-(s) and Use'+(s) be the locations whose values before and after the statement s the adjoint of s reads,
//! and Kill(s) the locations that s replaces altogether. Then
//!
//! ```text
//! TBR(ENTRY) = ∅
//! TBR+(s)    = ((TBR-(s) ∪ Use'-(s)) \ Kill(s)) ∪ Use'+(s)
//! ```
//!
//! and the union where paths meet (L. Hascoët, V. Pascual, *The Tapenade AD tool*, INRIA RR-7957, section 5.2). A
//! statement that may overwrite a location in TBR-(s) ∪ Use'-(s) has to record it first. The pop that restores it
//! evaluates its subscripts again, so variables in these are used, too. Variables that the reverse sweep reads in
//! subscripts and bounds of loops count as used, exactly like operands.
//!
//! Not all values that are overwritten have to be recorded. Where the reverse sweep computes the value before s from
//! that behind it, as i - 1 for s: i := i + 1, the value behind s is needed: i stays in the set, together with what the
//! inverse reads. Where the reverse sweep computes a value on its way to an edge, the value is needed no longer on the
//! edge, but what its expression reads is.
//!
//! An array is one location. An element is not recorded in front of an assignment before which no adjoint can read the
//! cell ([`crate::antidependence`]), although the array is in the set for the sake of other cells.
//!
//! A large global of which callees write few cells is better recorded by the callees, cell by cell, than by their
//! callers as a whole. For such globals TBR(ENTRY) is the need of the callers, and calls neither overwrite nor replace
//! them.
//!
//! Where each iteration of a loop is reversed before the next one begins, nothing is needed on the back edge: the
//! reverse sweep has read what it needs of the iteration, and has restored what it needs of the time before the loop.
//!
//! A region that the reverse sweep does not run through acts like one statement: what it overwrites is recorded on the
//! edge into it, and its adjoint reads on the edge out of it.

use cfg_core::{
    dataflow::{Analysis, Direction, Position, Set},
    entity::{EdgeId, VarId, VertexId},
    ir::{
        Cfg, Expr, Intent, Op, Place, Program, Range, ScalarType, Stmt, StmtKind, Subscript,
        Variable, Vertex,
    },
    memory::{
        effects::Effects, global_set::GlobalSet, known::Known, locations::Locations, named::Named,
    },
};
use fixedbitset::FixedBitSet;
use std::collections::HashSet;

use crate::facts::meets;

/// The reads of a reverse sweep, as far as they are known before it is written.
pub trait ReverseSweep {
    /// The numbers of the locations whose values before a statement its adjoint reads.
    fn reads_before(&self, at: Position) -> &[u32];

    /// The numbers of the locations whose values after a statement its adjoint reads.
    fn reads_after(&self, at: Position) -> &[u32];

    /// True if the forward sweep executes more than a copy of a statement.
    fn has_forward_code(&self, _: Position) -> bool {
        false
    }

    /// True for an assignment that the forward sweep leaves out ([`crate::diff_live`]).
    fn is_left_out(&self, _: Position) -> bool {
        false
    }

    /// True if every value that a statement overwrites is recorded, read or not.
    fn records_all(&self) -> bool {
        false
    }

    /// True if the adjoint of nothing that comes before a run of a statement reads a cell that this run overwrites.
    fn is_unread_before(&self, _: Position) -> bool {
        false
    }

    /// True for a LOOP with a reverse loop, which sets the index.
    fn has_reverse_loop(&self, v: VertexId) -> bool;

    /// Calls `read` with the expressions that the adjoint of a vertex evaluates to decide: the bounds of the reverse
    /// loop of a LOOP, the selector of the reverse branch of an ENDBRANCH.
    fn decision_reads(&self, v: VertexId, read: &mut dyn FnMut(&Expr));

    /// The indices of the loops that an edge leaves, which the reverse loops set.
    fn indices_left(&self, e: EdgeId) -> Vec<VarId>;

    /// The variables that are recorded as a whole in front of a statement by other means.
    fn recorded_apart(&self, statement: &Stmt) -> HashSet<VarId>;

    /// The globals that the routine called by a statement records and restores itself, so that the caller need not.
    fn recorded_by_callee(&self, at: Position) -> Option<&GlobalSet>;

    /// The parameters of the routine called by a statement to which its reverse sweep gives the values that they had
    /// before the call, so that the caller need not.
    fn restored_by_callee(&self, _: Position) -> Option<&FixedBitSet> {
        None
    }

    /// The globals whose values at ENTRY callers need, and which this routine records.
    fn needed_at_entry(&self) -> &GlobalSet;

    /// The value that the target of an assignment had before it, as an expression over values behind it, if the reverse
    /// sweep computes it from these. The target is a variable of which the assignment replaces all.
    fn inverse(&self, at: Position) -> Option<&Expr>;

    /// Calls `computed` with the variables that the reverse sweep computes where it comes to an edge, and with the
    /// expressions that it evaluates for each.
    fn computed(&self, e: EdgeId, computed: &mut dyn FnMut(VarId, &[&Expr]));

    /// True for a vertex of a region that the reverse sweep does not run through: nothing is recorded inside.
    fn is_passed_over(&self, v: VertexId) -> bool;

    /// The places that the region behind an edge may overwrite, which are recorded on the edge.
    fn overwritten_behind(&self, e: EdgeId) -> &[Place];

    /// The numbers of the locations whose values on an edge out of such a region its adjoint reads.
    fn reads_on(&self, e: EdgeId) -> &[u32];

    /// True for the back edge of a loop each of whose iterations is reversed before the next one begins.
    fn is_reversed_before(&self, _: EdgeId) -> bool {
        false
    }
}

/// The way by which the reverse sweep gets the value that a statement overwrites.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restored {
    /// The value is recorded before the statement: of the k-th place that the statement
    /// [overwrites](ToBeRecorded::overwritten).
    Popped(usize),
    /// The value is computed from values behind the statement.
    Computed,
}

/// The analysis of one routine. States are sets of locations.
#[derive(Clone, Debug)]
pub struct ToBeRecorded<'a, S> {
    program: &'a Program,
    effects: &'a Effects,
    locations: &'a Locations,
    globals: &'a Named,
    sweep: S,
}

impl<'a, S: ReverseSweep> ToBeRecorded<'a, S> {
    /// The analysis of a routine of a program with these effects: its locations, and the globals that it names.
    pub fn new(
        program: &'a Program,
        effects: &'a Effects,
        locations: &'a Locations,
        globals: &'a Named,
        sweep: S,
    ) -> Self {
        Self {
            program,
            effects,
            locations,
            globals,
            sweep,
        }
    }

    /// The reads that the analysis works on.
    pub fn sweep(&self) -> &S {
        &self.sweep
    }

    /// True if the present value of some cell of the place may be needed.
    pub fn contains(&self, set: &Set, place: &Place) -> bool {
        meets(self.locations, set, place)
    }

    /// The parts of a variable whose present values may be needed.
    pub fn members(&self, set: &Set, v: VarId) -> Vec<Place> {
        self.locations.member_places(v, |l| set.contains(l.index()))
    }

    /// True if all locations that an expression may read are in the set, so that the reverse sweep has their values
    /// anyway.
    pub fn is_all_in(&self, set: &Set, e: &Expr) -> bool {
        let mut all = true;
        e.walk_places(&mut |p| {
            self.locations
                .each_location(p, &mut |l| all &= set.contains(l.index()));
        });
        all
    }

    fn insert_reads(&self, e: &Expr, set: &mut Set) {
        e.walk_places(&mut |p| {
            self.locations
                .each_location(p, &mut |l| set.insert(l.index()));
        });
    }

    /// Adds the locations whose values before a statement its adjoint reads.
    pub fn insert_reads_before(&self, at: Position, set: &mut Set) {
        for &a in self.sweep.reads_before(at) {
            set.insert(a as usize);
        }
    }

    /// The globals that the routine called by a statement records itself; see [`ReverseSweep::recorded_by_callee`].
    pub fn recorded_by_callee(&self, at: Position) -> Option<&GlobalSet> {
        self.sweep.recorded_by_callee(at)
    }

    /// Takes a place out that is replaced, since its old value is on the tape or not needed.
    fn kill(&self, place: &Place, set: &mut Set) {
        if self.locations.replaces(place) {
            self.locations.each_location(place, &mut |l| {
                set.remove(l.index());
            });
        }
    }

    /// The effect of a statement. Calls `restore(how, place)` for each place whose value before the statement is needed
    /// and is overwritten, in order.
    pub fn saving(
        &self,
        at: Position,
        statement: &Stmt,
        set: &mut Set,
        restore: &mut impl FnMut(Restored, &Place),
    ) {
        if self.sweep.is_passed_over(at.vertex) {
            return;
        }
        self.insert_reads_before(at, set);
        let mut saved = |k: usize, place: &Place, set: &mut Set| {
            let is_needed = self.contains(set, place) && !self.sweep.is_unread_before(at);
            if is_needed || self.sweep.records_all() {
                restore(Restored::Popped(k), place);
                // The pop evaluates the same subscripts.
                for e in place.subscript_exprs() {
                    self.insert_reads(e, set);
                }
            }
        };
        if self.sweep.is_left_out(at) {
            // Nothing is overwritten.
        } else if let StmtKind::Assign { target, .. } = &statement.kind {
            match self
                .sweep
                .inverse(at)
                .filter(|_| self.contains(set, target))
            {
                Some(inverse) => {
                    // The inverse of a step reads the target: the value behind the statement is needed, too.
                    self.kill(target, set);
                    self.insert_reads(inverse, set);
                    restore(Restored::Computed, target);
                }
                None => {
                    saved(0, target, set);
                    self.kill(target, set);
                }
            }
        } else {
            let places = self.overwritten(at, statement);
            let apart = self.sweep.recorded_apart(statement);
            for (k, place) in places.iter().enumerate() {
                if !(place.subscripts.is_empty() && apart.contains(&place.var)) {
                    saved(k, place, set);
                }
            }
            places.iter().for_each(|place| self.kill(place, set));
            if let (
                Some(restored),
                StmtKind::Call {
                    callee, arguments, ..
                },
            ) = (self.sweep.restored_by_callee(at), &statement.kind)
            {
                let parameters = self.program.routine(*callee).parameter_ids();
                for (p, argument) in parameters.zip(arguments) {
                    if let (true, Some(Expr::Place(place))) =
                        (restored.contains(p.index()), argument)
                    {
                        self.kill(place, set);
                    }
                }
            }
        }
        for &a in self.sweep.reads_after(at) {
            set.insert(a as usize);
        }
    }

    /// The effect of an edge. Calls `save` for each place that must be recorded on it, in order.
    pub fn saving_on(&self, e: EdgeId, set: &mut Set, save: &mut impl FnMut(&Place)) {
        if self.sweep.is_reversed_before(e) {
            set.clear();
        }
        for &a in self.sweep.reads_on(e) {
            set.insert(a as usize);
        }
        for index in self.sweep.indices_left(e) {
            self.kill(&Place::whole(index), set);
        }
        self.sweep.computed(e, &mut |v, evaluated| {
            let place = Place::whole(v);
            if self.contains(set, &place) {
                self.kill(&place, set);
                evaluated.iter().for_each(|e| self.insert_reads(e, set));
            }
        });
        let places = self.sweep.overwritten_behind(e);
        for place in places {
            if self.contains(set, place) {
                save(place);
                // The pop evaluates the same subscripts.
                place
                    .subscript_exprs()
                    .for_each(|e| self.insert_reads(e, set));
            }
        }
        places.iter().for_each(|place| self.kill(place, set));
    }

    /// The places that a statement may overwrite, as they are to be recorded.
    pub fn overwritten(&self, at: Position, statement: &Stmt) -> Vec<Place> {
        let mut places = Vec::new();
        match &statement.kind {
            StmtKind::Assign { target, .. } | StmtKind::Pop { target, .. } => {
                places.push(target.clone());
            }
            StmtKind::Call {
                callee,
                arguments,
                result,
            } => {
                let called = self.program.routine(*callee);
                let mut known = Known::default();
                let restored = self.sweep.restored_by_callee(at);
                for (p, argument) in called.parameter_ids().zip(arguments.iter()) {
                    let formal = called.variable(p);
                    if let Some(Expr::Place(place)) = argument
                        && !restored.is_some_and(|restored| restored.contains(p.index()))
                        && formal.ty != ScalarType::Tape
                        && formal.intent().is_some_and(Intent::writes)
                    {
                        let place = reached(place, formal);
                        if known.find(places.len(), |k| &places[k], &place).is_none() {
                            places.push(place);
                        }
                    }
                }
                places.extend(result.clone());
                let written = self.effects.written(*callee);
                let named = match self.sweep.recorded_by_callee(at) {
                    Some(restored) => self.globals.variables_in(&written.minus(restored)),
                    None => self.globals.variables_in(written),
                };
                places.extend(named.into_iter().map(Place::whole));
            }
            StmtKind::Push { .. } | StmtKind::Stop { .. } => {}
            // Flat programs have no heap statements.
            StmtKind::Allocate { .. } | StmtKind::Free { .. } | StmtKind::Resize { .. } => {}
            StmtKind::Opaque { writes, .. } => {
                places.extend(writes.iter().map(|&v| Place::whole(v)));
            }
        }
        places
    }
}

/// The cells that a formal reaches which is bound to a place. A formal array at an element, or at the elements of an
/// array of one dimension from one on, reaches as many cells as its constant extents say, so that a loop of calls each
/// of which passes another element records each cell once. A formal array at an element reaches otherwise an unknown
/// number of cells from there on, for which the whole array is taken.
fn reached(place: &Place, formal: &Variable) -> Place {
    if formal.rank() == 0 {
        return place.clone();
    }
    let first = match &*place.subscripts {
        [Subscript::Index(first)] => Some(first),
        [Subscript::Range(range)] if range.stride.is_none() => range.lower.as_ref(),
        _ => None,
    };
    let size = formal.constant_size().filter(|&n| n > 0);
    match (first, size) {
        (_, Some(1)) if place.is_element() => place.clone(),
        (Some(first), Some(1)) => Place::element(place.var, [first.clone()]),
        (Some(first), Some(n)) if first.depth() < Expr::MAX_DEPTH => {
            let range = Range {
                lower: Some(first.clone()),
                upper: Some(behind(first, n - 1)),
                stride: None,
            };
            Place {
                var: place.var,
                subscripts: [Subscript::Range(Box::new(range))].into(),
            }
        }
        _ if place.is_element() => Place::whole(place.var),
        _ => place.clone(),
    }
}

/// The subscript `n` elements behind another one.
fn behind(first: &Expr, n: i64) -> Expr {
    let folded = first.constant().and_then(|k| k.checked_add(n));
    folded.map_or_else(
        || Expr::op(Op::Add, [first.clone(), Expr::Int(n)]),
        Expr::Int,
    )
}

impl<S: ReverseSweep> Analysis for ToBeRecorded<'_, S> {
    const NAME: &'static str = "to be recorded";
    const DIRECTION: Direction = Direction::Forward;
    type Domain = Set;

    fn bottom(&self, _: &Cfg) -> Set {
        Set::new(self.locations.len())
    }

    fn boundary(&self, cfg: &Cfg) -> Set {
        let mut set = self.bottom(cfg);
        for v in self.globals.variables_in(self.sweep.needed_at_entry()) {
            (self.locations).each_location(&Place::whole(v), &mut |l| set.insert(l.index()));
        }
        set
    }

    fn statement(&self, at: Position, statement: &Stmt, state: &mut Set) {
        self.saving(at, statement, state, &mut |_, _| {});
    }

    /// The reverse loop sets the index anew, from bounds that it evaluates.
    fn decision(&self, v: VertexId, vertex: &Vertex, state: &mut Set) {
        if self.sweep.is_passed_over(v) {
            return;
        }
        if self.sweep.has_reverse_loop(v)
            && let Some(index) = vertex.kind.index()
        {
            self.kill(&Place::whole(index), state);
        }
        (self.sweep).decision_reads(v, &mut |e| self.insert_reads(e, state));
    }

    fn changes_on(&self, _: &Cfg, e: EdgeId) -> bool {
        let sweep = &self.sweep;
        let mut computes = false;
        sweep.computed(e, &mut |_, _| computes = true);
        computes
            || sweep.is_reversed_before(e)
            || !(sweep.indices_left(e).is_empty()
                && sweep.reads_on(e).is_empty()
                && sweep.overwritten_behind(e).is_empty())
    }

    fn edge(&self, _: &Cfg, e: EdgeId, state: &mut Set) {
        self.saving_on(e, state, &mut |_| {});
    }
}
