//! The variables that statements and decisions read and write, in the order in which they do.

use super::{effects::Effects, global_set::GlobalSet};
use crate::{
    entity::{GlobalId, VarId},
    ir::{
        Intent, Place, Program, Role, Routine, Stmt, Variable, Vertex,
        visit::{PlaceRole, Visit, walk_place},
    },
};
use std::collections::HashMap;

/// A read or write of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Some of the variable is read.
    Read(VarId),
    /// All of the variable is overwritten, or undefined from now on.
    Write(VarId),
    /// Some of the variable may be overwritten.
    MayWrite(VarId),
}

impl Access {
    /// The variable.
    pub fn variable(self) -> VarId {
        let (Self::Read(v) | Self::Write(v) | Self::MayWrite(v)) = self;
        v
    }
}

/// Reports accesses as it meets them; what a call writes comes after all that it reads.
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
    fn place(&mut self, place: &'ir Place, role: PlaceRole) {
        match role {
            PlaceRole::Read | PlaceRole::Address | PlaceRole::Push => {
                (self.found)(Access::Read(place.var));
                walk_place(self, place);
            }
            PlaceRole::Bind { callee, formal } => {
                walk_place(self, place);
                let called = self.program.and_then(|p| p.routines.get(callee.index()));
                let formal = called.and_then(|r| r.variables.get(..r.parameters)?.get(formal));
                let intent = formal.and_then(Variable::intent);
                if intent != Some(Intent::Out) {
                    (self.found)(Access::Read(place.var));
                }
                if intent.is_some_and(Intent::writes) {
                    // A formal of explicit shape may be smaller than the array that it is a view of.
                    let whole =
                        place.subscripts.is_empty() && formal.is_some_and(|f| f.rank() == 0);
                    self.write(place.var, whole && intent == Some(Intent::Out));
                }
            }
            PlaceRole::Define { whole } | PlaceRole::Pop { whole } => {
                walk_place(self, place);
                self.write(place.var, whole);
            }
            // Inquiries ask about the shape, not the value; subscripts in their operand are evaluated.
            PlaceRole::Shape | PlaceRole::Clobber | PlaceRole::Tape => walk_place(self, place),
        }
    }

    fn variable(&mut self, v: &'ir VarId, role: PlaceRole) {
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
    /// The globals that the routine names, each with its variable.
    variable: HashMap<GlobalId, VarId>,
    named: GlobalSet,
    /// Globals among these that share their storage with others.
    overlaid: Vec<(VarId, GlobalId)>,
    /// The parameters of an aliased routine, which may be globals that it does not name.
    aliased: Vec<VarId>,
}

impl<'p> Accesses<'p> {
    /// The accesses of a routine of a program with these effects.
    pub fn of(program: &'p Program, effects: &'p Effects, routine: &'p Routine) -> Self {
        let mut variable = HashMap::new();
        let mut named = GlobalSet::default();
        let mut overlaid = Vec::new();
        for (v, declared) in routine.variables.iter().enumerate() {
            if let Role::Global(g) = declared.role {
                variable.insert(g, VarId::new(v));
                named.insert(g);
                if effects.storage.around(g).is_some() {
                    overlaid.push((VarId::new(v), g));
                }
            }
        }
        let aliased = match routine.aliased {
            true => routine.parameter_ids().collect(),
            false => Vec::new(),
        };
        Self {
            program,
            effects,
            routine,
            variable,
            named,
            overlaid,
            aliased,
        }
    }

    /// Calls `found` with the accesses of a statement; what a call writes comes after all that it reads.
    pub fn statement(&self, statement: &Stmt, found: &mut impl FnMut(Access)) {
        let Some(callee) = statement.kind.callee() else {
            let mut walk = Walk {
                program: Some(self.program),
                found,
                after: None,
            };
            return walk.statement(statement);
        };
        let mut after = Vec::new();
        let mut walk = Walk {
            program: Some(self.program),
            found: &mut *found,
            after: Some(&mut after),
        };
        walk.statement(statement);
        let effects = self.effects;
        let (named, written) = (effects.types_named(callee), effects.types_written(callee));
        for &p in &self.aliased {
            if named.contains(self.routine.variable(p).ty) {
                found(Access::Read(p));
            }
        }
        let mut global = |g: GlobalId, access: fn(VarId) -> Access| {
            if let Some(&v) = self.variable.get(&g) {
                found(access(v));
            }
        };
        effects
            .read(callee)
            .each_common(&self.named, |g| global(g, Access::Read));
        for &(_, g) in self
            .overlaid
            .iter()
            .filter(|(_, g)| effects.may_read(callee, *g))
        {
            global(g, Access::Read);
        }
        let surely = effects.surely_written(callee);
        effects.written(callee).each_common(&self.named, |g| {
            global(
                g,
                match surely.contains(g) {
                    true => Access::Write,
                    false => Access::MayWrite,
                },
            );
        });
        for &(_, g) in self
            .overlaid
            .iter()
            .filter(|(_, g)| effects.may_write(callee, *g))
        {
            if !surely.contains(g) {
                global(g, Access::MayWrite);
            }
        }
        for &p in &self.aliased {
            if written.contains(self.routine.variable(p).ty) {
                found(Access::MayWrite(p));
            }
        }
        after.into_iter().for_each(found);
    }
}

/// The accesses of a LOOP's or BRANCH's decision; nothing for other vertices.
pub fn decision_accesses(vertex: &Vertex, found: &mut impl FnMut(Access)) {
    let mut walk = Walk {
        program: None,
        found,
        after: None,
    };
    walk.decision(&vertex.kind);
}
