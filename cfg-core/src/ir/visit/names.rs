//! The variables that a statement names, and the variables that it writes.

use super::{PlaceRole, Visit, walk_place};
use crate::{
    entity::{RoutineId, VarId},
    ir::{Intent, Place, Program, Stmt, Vertex},
};

/// Calls `found` with each variable that a statement names, in subscripts and bounds of sections too, and its role.
/// The pointer of a place through a pointer has [`PlaceRole::Address`].
pub fn each_name(statement: &Stmt, found: &mut impl FnMut(VarId, PlaceRole)) {
    Names(found).visit_statement(statement);
}

/// Calls `written` with each variable of the routine that a statement may write itself, or bind to a formal whose
/// intent allows writing. Writes of a callee to globals, and writes through pointers, are not reported.
pub fn each_written(program: &Program, statement: &Stmt, written: &mut impl FnMut(VarId)) {
    let binds = |callee: RoutineId, formal: usize| {
        let called = program.routines.get(callee.index());
        let formal = called.and_then(|r| r.parameter(formal));
        formal.and_then(|p| p.intent()).is_some_and(Intent::writes)
    };
    each_written_if(statement, binds, written);
}

/// [`each_written`] with another rule for calls: `binds` tells whether the callee may write the variable bound to the
/// formal at a position.
pub fn each_written_if(
    statement: &Stmt,
    binds: impl Fn(RoutineId, usize) -> bool,
    written: &mut impl FnMut(VarId),
) {
    each_name(statement, &mut |v, role| {
        let writes = match role {
            PlaceRole::Bind { callee, formal } => binds(callee, formal),
            PlaceRole::Define { .. }
            | PlaceRole::Renew { .. }
            | PlaceRole::Clobber
            | PlaceRole::Pop { .. } => true,
            PlaceRole::Read
            | PlaceRole::Shape
            | PlaceRole::Address
            | PlaceRole::AddressTaken
            | PlaceRole::Push
            | PlaceRole::Tape => false,
        };
        if writes {
            written(v);
        }
    });
}

/// Calls `found` with every place that a vertex names, but for the index of a LOOP. An element that is bound to an
/// array formal counts as the whole array, because the formal may reach cells behind it.
pub fn each_place(program: &Program, vertex: &Vertex, found: &mut impl FnMut(&Place)) {
    super::walk_vertex(&mut Places { program, found }, vertex);
}

struct Places<'a, F> {
    program: &'a Program,
    found: &'a mut F,
}

impl<'ir, F: FnMut(&Place)> Visit<'ir> for Places<'_, F> {
    fn visit_place(&mut self, place: &'ir Place, role: PlaceRole) {
        (self.found)(place);
        walk_place(self, place);
        if let PlaceRole::Bind { callee, formal } = role {
            let called = self.program.routines.get(callee.index());
            let formal = called.and_then(|r| r.parameter(formal));
            if formal.is_some_and(|f| f.rank() > 0) {
                (self.found)(&Place::whole(place.var));
            }
        }
    }

    fn visit_variable(&mut self, v: &'ir VarId, role: PlaceRole) {
        if matches!(role, PlaceRole::Read | PlaceRole::Clobber) {
            (self.found)(&Place::whole(*v));
        }
    }
}

struct Names<'a, F>(&'a mut F);

impl<'ir, F: FnMut(VarId, PlaceRole)> Visit<'ir> for Names<'_, F> {
    fn visit_place(&mut self, place: &'ir Place, role: PlaceRole) {
        walk_place(self, place);
        let through = place.is_through_pointer();
        (self.0)(place.var, if through { PlaceRole::Address } else { role });
    }

    fn visit_variable(&mut self, v: &'ir VarId, role: PlaceRole) {
        (self.0)(*v, role);
    }
}
