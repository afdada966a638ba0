//! Useful variables: a dependent may depend differentiably on their present values.
//!
//! With Diff-dep(s) and Varied-(s) as in [`varied`](crate::varied),
//!
//! ```text
//! Useful(EXIT) = the dependents
//! Useful-(s)   = (Useful+(s) \ Kill(s)) ∪ { u : (u, v) ∈ Diff-dep(s), v ∈ Useful+(s), u ∈ Varied-(s) }
//! ```
//!
//! and the union where paths meet (L. Hascoët, V. Pascual, *The Tapenade AD tool*, INRIA RR-7957, section 5.2, but for
//! the last condition). An assignment takes its target out; if the target was in, it puts in the operands on which the
//! value depends. An operand that is not varied contributes nothing, so its derivative is not read there. A derivative
//! that is read nowhere is an implicit zero (section 4.6), which is never assigned. Arguments of calls have
//! derivatives whether they are varied or not. At EXIT of a called routine, a parameter is useful if some call binds a
//! useful variable to it; at EXIT and in front of calls, a global is useful if it is useful anywhere.

use cfg_core::{
    dataflow::{Analysis, Direction, Position, Set},
    entity::{RoutineId, VarId, VertexId},
    ir::{Cfg, Expr, Place, Program, Routine, Stmt, Vertex},
    memory::{
        access::{Access, Accesses},
        effects::Effects,
        global_set::GlobalSet,
        locations::Locations,
        named::Named,
    },
};

use crate::{
    differentiable::differentiable_places,
    exceptions::Exceptions,
    facts::{Facts, boundary, meets},
    flow::{Call, End, Flow},
};

/// The analysis of one routine. States are sets of locations.
#[derive(Debug)]
pub(crate) struct Useful<'a> {
    program: &'a Program,
    id: RoutineId,
    routine: &'a Routine,
    pub(crate) locations: &'a Locations,
    accesses: Accesses<'a>,
    effects: &'a Effects,
    facts: &'a Facts,
    /// The useful globals that only callees name.
    unnamed: GlobalSet,
    /// The operands that are not varied where they are read.
    exceptions: &'a Exceptions,
    /// The globals that are useful at EXIT; `None` for all that are useful anywhere.
    globals: Option<&'a [VarId]>,
}

impl<'a> Useful<'a> {
    /// The analysis of a routine. If `globals` are given, no others are useful at its EXIT.
    pub(crate) fn new(
        program: &'a Program,
        effects: &'a Effects,
        id: RoutineId,
        locations: &'a Locations,
        facts: &'a Facts,
        exceptions: &'a Exceptions,
        globals: Option<&'a [VarId]>,
    ) -> Self {
        let routine = program.routine(id);
        Self {
            program,
            id,
            routine,
            locations,
            accesses: Accesses::resolve(program, effects, routine),
            effects,
            facts,
            unnamed: facts.useful_globals.minus(Named::collect(routine).set()),
            exceptions,
            globals,
        }
    }

    /// True if the place may have cells in a useful location.
    pub(crate) fn contains(&self, state: &Set, place: &Place) -> bool {
        meets(self.locations, state, place)
    }

    fn remove(&self, place: &Place, state: &mut Set) {
        if self.locations.replaces(place) {
            (self.locations).each_location(place, &mut |l| state.remove(l.index()));
        }
    }

    /// Puts in the varied variables on which the value of an expression depends.
    fn insert_varied(&self, at: Position, e: &Expr, state: &mut Set) {
        differentiable_places(self.routine, e, &mut |place| {
            let v = place.var;
            if self.facts.is_varied(self.id, self.routine, v) && !self.exceptions.is_constant(at, v)
            {
                (self.locations).each_location(place, &mut |l| state.insert(l.index()));
            }
        });
    }

    /// Puts in the variables on which the value of an expression depends.
    fn insert(&self, e: &Expr, state: &mut Set) {
        differentiable_places(self.routine, e, &mut |place| {
            (self.locations).each_location(place, &mut |l| state.insert(l.index()));
        });
    }

    fn insert_argument(&self, argument: &Expr, state: &mut Set) {
        match argument {
            Expr::Place(place) if self.routine.variable(place.var).ty.is_tape() => {
                state.insert(self.locations.of_variable(place.var).index());
            }
            Expr::Int(_)
            | Expr::Real(_)
            | Expr::Real32(_)
            | Expr::Logical(_)
            | Expr::Place(_)
            | Expr::Op(..)
            | Expr::Null(_)
            | Expr::Addr(_) => self.insert(argument, state),
        }
    }

    /// The accesses of a call beside its arguments, reads first.
    fn beside(&self, callee: RoutineId) -> Vec<Access> {
        let mut accesses = Vec::new();
        (self.accesses).of_callee(callee, &mut |access| accesses.push(access));
        accesses
    }

    /// True if a variable that a call may write is useful behind it.
    pub(crate) fn is_call_useful(&self, call: Call<'_>, state: &Set) -> bool {
        call.outputs().any(|o| self.contains(state, o.place))
            || (self.beside(call.callee).into_iter()).any(|access| {
                let v = access.variable();
                !matches!(access, Access::Read(_))
                    && state.contains(self.locations.of_variable(v).index())
            })
            || self.writes_unnamed(call.callee)
    }

    /// True if a call may write a useful global that the routine does not name.
    fn writes_unnamed(&self, callee: RoutineId) -> bool {
        self.effects.written(callee).intersects(&self.unnamed)
    }

    fn call(&self, at: Position, call: Call<'_>, state: &mut Set) {
        let given = call.is_given() && self.is_call_useful(call, state);
        for output in call.outputs().filter(|o| o.replaced) {
            self.remove(output.place, state);
        }
        for access in self.beside(call.callee).into_iter().rev() {
            match access {
                Access::Write(v) => self.remove(&Place::whole(v), state),
                Access::Read(v) if self.facts.is_useful(self.id, self.routine, v) => {
                    state.insert(self.locations.of_variable(v).index());
                }
                Access::Read(_) | Access::MayWrite(_) => {}
            }
        }
        if call.called.body.is_some() {
            let interface = self.facts.interface(call.callee);
            for (formal, argument) in call.inputs() {
                if interface.useful_at_entry.contains(formal.index()) {
                    self.insert_argument(argument, state);
                }
            }
        }
        if given {
            let has_derivatives = call.called.derivatives.is_some();
            for (_, argument) in call.given_inputs() {
                match has_derivatives {
                    true => self.insert_argument(argument, state),
                    false => self.insert_varied(at, argument, state),
                }
            }
        }
    }
}

impl Analysis for Useful<'_> {
    const NAME: &'static str = "useful";
    const DIRECTION: Direction = Direction::Backward;
    type Domain = Set;

    fn bottom(&self, _: &Cfg) -> Set {
        Set::new(self.locations.len())
    }

    fn boundary(&self, _: &Cfg) -> Set {
        let formals = &self.facts.interface(self.id).useful_at_exit;
        boundary(self.routine, self.locations, formals, self.globals, |v| {
            self.facts.is_useful(self.id, self.routine, v)
        })
    }

    fn statement(&self, at: Position, statement: &Stmt, state: &mut Set) {
        match Flow::through_statement(&self.program.routines, statement) {
            Flow::None => {}
            // No dependent is reached behind the end of the program.
            Flow::End => state.clear(),
            Flow::One(from, to) => {
                let useful = match to {
                    End::Place(target) => {
                        let real = self.routine.variable(target.var).ty.is_real();
                        let useful = real && self.contains(state, target);
                        self.remove(target, state);
                        useful
                    }
                    // Values on a tape are not told apart: the tape is useful if any of its values is.
                    End::Tape(tape) => self.facts.is_useful(self.id, self.routine, tape),
                    End::Value(_) => false,
                };
                match (from, to) {
                    _ if !useful => {}
                    // The derivative of a pushed value is pushed, too, whether the value is varied or not.
                    (End::Value(value), End::Tape(_)) => self.insert(value, state),
                    (End::Value(value), _) => self.insert_varied(at, value, state),
                    (End::Tape(tape), _) => {
                        state.insert(self.locations.of_variable(tape).index());
                    }
                    (End::Place(_), _) => {}
                }
            }
            Flow::Call(call) => self.call(at, call, state),
        }
    }

    fn decision(&self, _: VertexId, _: &Vertex, _: &mut Set) {}
}
