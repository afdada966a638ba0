//! The variables that statements and decisions read and write, in the order in which they do.

use crate::{
    entity::{GlobalId, VarId},
    ir::{
        Intent, Place, Program, Role, Routine, Stmt, StmtKind, Variable, Vertex,
        visit::{PlaceRole, Visit, walk_place},
    },
    memory::effects::Effects,
};

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

/// The accesses of a statement of `routine`. Without the effects of the called routine a call reads and may write every
/// global that the routine names.
pub fn statement_accesses(
    program: &Program,
    effects: Option<&Effects>,
    routine: &Routine,
    statement: &Stmt,
    found: &mut impl FnMut(Access),
) {
    let StmtKind::Call { callee, .. } = statement.kind else {
        let mut walk = Walk {
            program: Some(program),
            found,
            after: None,
        };
        return walk.statement(statement);
    };
    let mut after = Vec::new();
    let mut walk = Walk {
        program: Some(program),
        found: &mut *found,
        after: Some(&mut after),
    };
    walk.statement(statement);
    let globals = routine.variables.iter().enumerate();
    let globals = globals.filter_map(|(v, variable)| match variable.role {
        Role::Global(g) => Some((VarId::new(v), g)),
        Role::Parameter { .. } | Role::Local => None,
    });
    match effects {
        None => {
            globals.clone().for_each(|(v, _)| found(Access::Read(v)));
            globals.for_each(|(v, _)| found(Access::MayWrite(v)));
        }
        Some(effects) => {
            let surely = effects.surely_written(callee);
            let read = |(_, g): &(VarId, GlobalId)| effects.may_read(callee, *g);
            globals
                .clone()
                .filter(read)
                .for_each(|(v, _)| found(Access::Read(v)));
            let written = |(_, g): &(VarId, GlobalId)| effects.may_write(callee, *g);
            for (v, g) in globals.filter(written) {
                found(match surely.contains(g) {
                    true => Access::Write(v),
                    false => Access::MayWrite(v),
                });
            }
        }
    }
    after.into_iter().for_each(found);
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
