//! Varied variables: their values may depend differentiably on an independent.
//!
//! With Diff-dep(s) the pairs (u, v) such that the statement s computes v from u differentiably,
//!
//! ```text
//! Varied(ENTRY) = the independents
//! Varied+(s)    = (Varied-(s) \ Kill(s)) ∪ { v : (u, v) ∈ Diff-dep(s), u ∈ Varied-(s) }
//! ```
//!
//! and the union where paths meet (L. Hascoët, V. Pascual, *The Tapenade AD tool*, INRIA RR-7957, section 5.2). An
//! assignment whose value is not varied takes its target out. Arrays are one location. At ENTRY of a called routine, a
//! parameter is varied if some call gives it a varied argument; at ENTRY and behind calls, a global is varied if it is
//! varied anywhere.

use cfg_core::{
    dataflow::{Analysis, Direction, Position, Set},
    entity::{RoutineId, VarId, VertexId},
    ir::{Cfg, Expr, Place, Program, Routine, Stmt, Vertex},
    memory::{
        access::{Access, Accesses},
        effects::Effects,
        locations::Locations,
    },
};

use crate::{
    differentiable::differentiable_places,
    facts::{Facts, boundary, meets},
    flow::{Call, End, Flow},
};

/// The analysis of one routine. States are sets of locations.
#[derive(Debug)]
pub(crate) struct Varied<'a> {
    program: &'a Program,
    id: RoutineId,
    routine: &'a Routine,
    pub(crate) locations: &'a Locations,
    accesses: Accesses<'a>,
    facts: &'a Facts,
    /// The globals that are varied at ENTRY; `None` for all that are varied anywhere.
    globals: Option<&'a [VarId]>,
}

impl<'a> Varied<'a> {
    /// The analysis of a routine. If `globals` are given, no others are varied at its ENTRY.
    pub(crate) fn new(
        program: &'a Program,
        effects: &'a Effects,
        id: RoutineId,
        locations: &'a Locations,
        facts: &'a Facts,
        globals: Option<&'a [VarId]>,
    ) -> Self {
        let routine = program.routine(id);
        Self {
            program,
            id,
            routine,
            locations,
            accesses: Accesses::resolve(program, effects, routine),
            facts,
            globals,
        }
    }

    /// True if the place may have cells in a varied location.
    pub(crate) fn contains(&self, state: &Set, place: &Place) -> bool {
        meets(self.locations, state, place)
    }

    /// True if the value of an expression depends differentiably on a varied variable.
    pub(crate) fn depends(&self, state: &Set, e: &Expr) -> bool {
        let mut found = false;
        differentiable_places(self.routine, e, &mut |place| {
            found = found || self.contains(state, place);
        });
        found
    }

    /// True if an argument hands a varied value to the routine.
    pub(crate) fn brings(&self, state: &Set, argument: &Expr) -> bool {
        match argument {
            Expr::Place(place) => self.contains(state, place),
            Expr::Int(_)
            | Expr::Real(_)
            | Expr::Real32(_)
            | Expr::Logical(_)
            | Expr::Op(..)
            | Expr::Null(_)
            | Expr::Addr(_) => self.depends(state, argument),
        }
    }

    /// The place gets a value that is varied or not; `replaced` is true if no part of the old value is left.
    fn define(&self, place: &Place, varied: bool, replaced: bool, state: &mut Set) {
        let ty = self.routine.variable(place.var).ty;
        if varied && (ty.is_real() || ty.is_tape()) {
            (self.locations).each_location(place, &mut |l| state.insert(l.index()));
        } else if !varied && replaced && self.locations.replaces(place) {
            (self.locations).each_location(place, &mut |l| state.remove(l.index()));
        }
    }

    fn call(&self, call: Call<'_>, state: &mut Set) {
        let given = call.is_given()
            && (call.given_inputs()).any(|(_, argument)| self.brings(state, argument));
        let interface = self.facts.interface(call.callee);
        let mut written = Vec::new();
        self.accesses.of_callee(call.callee, &mut |access| {
            if !matches!(access, Access::Read(_)) {
                written.push(access);
            }
        });
        let is_varied = |formal: VarId| {
            given || call.called.body.is_some() && interface.varied_at_exit.contains(formal.index())
        };
        let global = |v: VarId| self.facts.is_varied(self.id, self.routine, v);
        // Removals come before additions, since two outputs may be parts of one location.
        for varied in [false, true] {
            for &access in &written {
                let v = access.variable();
                if global(v) == varied {
                    let surely = matches!(access, Access::Write(_));
                    self.define(&Place::whole(v), varied, surely, state);
                }
            }
            for output in call.outputs() {
                if is_varied(output.formal) == varied {
                    self.define(output.place, varied, output.replaced, state);
                }
            }
        }
    }
}

impl Analysis for Varied<'_> {
    const NAME: &'static str = "varied";
    const DIRECTION: Direction = Direction::Forward;
    type Domain = Set;

    fn bottom(&self, _: &Cfg) -> Set {
        Set::new(self.locations.len())
    }

    fn boundary(&self, _: &Cfg) -> Set {
        let formals = &self.facts.interface(self.id).varied_at_entry;
        boundary(self.routine, self.locations, formals, self.globals, |v| {
            self.facts.is_varied(self.id, self.routine, v)
        })
    }

    fn statement(&self, _: Position, statement: &Stmt, state: &mut Set) {
        match Flow::through_statement(&self.program.routines, statement) {
            Flow::None => {}
            // No value flows behind the end of the program.
            Flow::End => state.clear(),
            Flow::One(from, to) => {
                let varied = match from {
                    End::Value(value) => self.depends(state, value),
                    End::Place(place) => self.contains(state, place),
                    End::Tape(tape) => self.contains(state, &Place::whole(tape)),
                };
                match to {
                    End::Place(target) => self.define(target, varied, true, state),
                    // A push adds to the values on the tape: it takes no fact back.
                    End::Tape(tape) => self.define(&Place::whole(tape), varied, false, state),
                    End::Value(_) => {}
                }
            }
            Flow::Call(call) => self.call(call, state),
        }
    }

    fn decision(&self, _: VertexId, _: &Vertex, _: &mut Set) {}
}
