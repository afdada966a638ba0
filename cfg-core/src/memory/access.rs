//! The variables that statements and decisions read and write, in the order of execution.

use super::{
    effects::Effects,
    named::{Named, global_variables},
};
use crate::{
    entity::{GlobalId, RoutineId, VarId},
    ir::{
        Intent, Place, Program, Routine, Stmt, Variable, Vertex,
        visit::{PlaceRole, Visit, walk_place},
    },
};

/// A read or write of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// A part of the variable, or all of it, is read.
    Read(VarId),
    /// All of the variable is overwritten, or becomes undefined.
    Write(VarId),
    /// A part of the variable may be overwritten.
    MayWrite(VarId),
}

impl Access {
    /// The variable that is accessed.
    pub fn variable(self) -> VarId {
        let (Self::Read(v) | Self::Write(v) | Self::MayWrite(v)) = self;
        v
    }
}

/// Reports accesses in the order of execution; the writes of a call come after all of its reads.
struct Walk<'a, F> {
    /// The program that has the routines that are called.
    program: Option<&'a Program>,
    found: &'a mut F,
    /// The writes of a call that are reported when it is over.
    after: Option<&'a mut Vec<Access>>,
}

impl<F: FnMut(Access)> Walk<'_, F> {
    fn write(&mut self, v: VarId, whole: bool) {
        let access = match whole {
            true => Access::Write(v),
            false => Access::MayWrite(v),
        };
        match &mut self.after {
            Some(after) => after.push(access),
            None => (self.found)(access),
        }
    }
}

impl<'ir, F: FnMut(Access)> Visit<'ir> for Walk<'_, F> {
    fn visit_place(&mut self, place: &'ir Place, role: PlaceRole) {
        // The cells behind a pointer belong to no variable; only the pointer is read.
        if place.is_through_pointer() {
            (self.found)(Access::Read(place.var));
            return walk_place(self, place);
        }
        match role {
            PlaceRole::Read | PlaceRole::Address | PlaceRole::Push => {
                (self.found)(Access::Read(place.var));
                walk_place(self, place);
            }
            PlaceRole::Bind { callee, formal } => {
                walk_place(self, place);
                let called = self.program.and_then(|p| p.routines.get(callee.index()));
                let formal = called.and_then(|r| r.parameter(formal));
                let intent = formal.and_then(Variable::intent);
                if intent != Some(Intent::Out) {
                    (self.found)(Access::Read(place.var));
                }
                if intent.is_some_and(Intent::writes) {
                    // A formal of explicit shape may be a view of a part of the array, so only a scalar is surely
                    // overwritten.
                    let whole =
                        place.subscripts.is_empty() && formal.is_some_and(|f| f.rank() == 0);
                    self.write(place.var, whole && intent == Some(Intent::Out));
                }
            }
            PlaceRole::Define { whole } | PlaceRole::Pop { whole } => {
                walk_place(self, place);
                self.write(place.var, whole);
            }
            PlaceRole::Renew { whole } => {
                (self.found)(Access::Read(place.var));
                walk_place(self, place);
                self.write(place.var, whole);
            }
            // The value of the place is not accessed, but its subscripts are evaluated.
            PlaceRole::Shape | PlaceRole::AddressTaken | PlaceRole::Clobber | PlaceRole::Tape => {
                walk_place(self, place);
            }
        }
    }

    fn visit_variable(&mut self, v: &'ir VarId, role: PlaceRole) {
        if role.reads() {
            (self.found)(Access::Read(*v));
        }
        if role.writes() {
            self.write(*v, role == PlaceRole::Define { whole: true });
        }
    }
}

/// The accesses of the statements of one routine.
#[derive(Clone, Debug)]
pub struct Accesses<'p> {
    program: &'p Program,
    effects: &'p Effects,
    routine: &'p Routine,
    globals: Named,
    /// The variables among the globals that share their storage with others.
    overlaid: Vec<(VarId, GlobalId)>,
    /// The parameters of an aliased routine, which may be globals that it does not name.
    aliased: Vec<VarId>,
}

impl<'p> Accesses<'p> {
    /// The accesses of a routine of a program with these effects.
    pub fn resolve(program: &'p Program, effects: &'p Effects, routine: &'p Routine) -> Self {
        let shares = |(_, g): &(VarId, GlobalId)| effects.storage.overlaid_with(*g).is_some();
        let aliased = match routine.aliased {
            true => routine.parameter_ids().collect(),
            false => Vec::new(),
        };
        Self {
            program,
            effects,
            routine,
            globals: Named::collect(routine),
            overlaid: global_variables(routine).filter(shares).collect(),
            aliased,
        }
    }

    /// Calls `found` with the accesses of a statement; the writes of a call come after all of its reads.
    pub fn each_access(&self, statement: &Stmt, found: &mut impl FnMut(Access)) {
        let Some(callee) = statement.kind.callee() else {
            let mut walk = Walk {
                program: Some(self.program),
                found,
                after: None,
            };
            return walk.visit_statement(statement);
        };
        let mut after = Vec::new();
        let mut walk = Walk {
            program: Some(self.program),
            found: &mut *found,
            after: Some(&mut after),
        };
        walk.visit_statement(statement);
        self.of_callee(callee, found);
        after.into_iter().for_each(found);
    }

    /// Calls `found` with the accesses of a call beside its arguments and its result, reads first: globals, and
    /// parameters of an aliased routine that may be globals.
    pub fn of_callee(&self, callee: RoutineId, found: &mut impl FnMut(Access)) {
        let effects = self.effects;
        let (named, written) = (effects.types_named(callee), effects.types_written(callee));
        for &p in &self.aliased {
            if named.contains(self.routine.variable(p).ty) {
                found(Access::Read(p));
            }
        }
        for v in self.globals.variables_in(effects.read(callee)) {
            found(Access::Read(v));
        }
        for &(v, g) in &self.overlaid {
            if effects.may_read(callee, g) {
                found(Access::Read(v));
            }
        }
        let surely = self.globals.variables_in(effects.surely_written(callee));
        for v in self.globals.variables_in(effects.written(callee)) {
            found(match surely.binary_search(&v) {
                Ok(_) => Access::Write(v),
                Err(_) => Access::MayWrite(v),
            });
        }
        for &(v, g) in &self.overlaid {
            if effects.may_write(callee, g) && surely.binary_search(&v).is_err() {
                found(Access::MayWrite(v));
            }
        }
        for &p in &self.aliased {
            if written.contains(self.routine.variable(p).ty) {
                found(Access::MayWrite(p));
            }
        }
    }
}

/// The accesses of a LOOP's or BRANCH's decision; nothing for other vertices.
pub fn decision_accesses(vertex: &Vertex, found: &mut impl FnMut(Access)) {
    let mut walk = Walk {
        program: None,
        found,
        after: None,
    };
    walk.visit_decision(&vertex.kind);
}
