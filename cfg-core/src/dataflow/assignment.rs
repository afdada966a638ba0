//! Assigned variables: on every path (`in(b) = ⋂ out(p)`) or on some path (`in(b) = ⋃ out(p)`) over the
//! predecessors p, `out(b) = in(b) ∪ def(b)`.

use super::{
    Analysis, Direction, Must,
    access::{Access, decision_accesses, statement_accesses},
};
use crate::ir::{Cfg, Intent, Program, Role, Routine, Stmt, Vertex};
use fixedbitset::FixedBitSet;

/// Variables that have a value at entry: `in` and `inout` parameters, globals.
fn given(routine: &Routine) -> FixedBitSet {
    let mut set = FixedBitSet::with_capacity(routine.variables.len());
    for (i, variable) in routine.variables.iter().enumerate() {
        let given = match variable.role {
            Role::Parameter { intent, .. } => intent != Intent::Out,
            Role::Global(_) => true,
            Role::Local => false,
        };
        set.set(i, given);
    }
    set
}

/// Variables that are assigned as a whole on every path from ENTRY.
#[derive(Clone, Copy, Debug)]
pub struct DefiniteAssignment<'p> {
    program: &'p Program,
    routine: &'p Routine,
}

impl<'p> DefiniteAssignment<'p> {
    /// Assignments in one routine of a program.
    pub fn new(program: &'p Program, routine: &'p Routine) -> Self {
        Self { program, routine }
    }
}

impl Analysis for DefiniteAssignment<'_> {
    const NAME: &'static str = "definite-assignment";
    const DIRECTION: Direction = Direction::Forward;
    type Domain = Must;

    fn bottom(&self, _: &Cfg) -> Must {
        Must::full(self.routine.variables.len())
    }

    fn boundary(&self, _: &Cfg) -> Must {
        Must(given(self.routine))
    }

    fn statement(&self, statement: &Stmt, state: &mut Must) {
        statement_accesses(self.program, self.routine, statement, &mut |a| {
            if let Access::Write(v) = a {
                state.0.insert(v.index());
            }
        });
    }

    fn decision(&self, vertex: &Vertex, state: &mut Must) {
        decision_accesses(vertex, &mut |a| {
            if let Access::Write(v) = a {
                state.0.insert(v.index());
            }
        });
    }
}

/// Variables of which some part is assigned on some path from ENTRY.
#[derive(Clone, Copy, Debug)]
pub struct PossibleAssignment<'p> {
    program: &'p Program,
    routine: &'p Routine,
}

impl<'p> PossibleAssignment<'p> {
    /// Assignments in one routine of a program.
    pub fn new(program: &'p Program, routine: &'p Routine) -> Self {
        Self { program, routine }
    }
}

impl Analysis for PossibleAssignment<'_> {
    const NAME: &'static str = "possible-assignment";
    const DIRECTION: Direction = Direction::Forward;
    type Domain = FixedBitSet;

    fn bottom(&self, _: &Cfg) -> FixedBitSet {
        FixedBitSet::with_capacity(self.routine.variables.len())
    }

    fn boundary(&self, _: &Cfg) -> FixedBitSet {
        given(self.routine)
    }

    fn statement(&self, statement: &Stmt, state: &mut FixedBitSet) {
        statement_accesses(self.program, self.routine, statement, &mut |a| {
            if let Access::Write(v) | Access::MayWrite(v) = a {
                state.insert(v.index());
            }
        });
    }

    fn decision(&self, vertex: &Vertex, state: &mut FixedBitSet) {
        decision_accesses(vertex, &mut |a| {
            if let Access::Write(v) = a {
                state.insert(v.index());
            }
        });
    }
}
