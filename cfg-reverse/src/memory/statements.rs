//! What a statement names and writes.

use cfg_core::{
    entity::VarId,
    ir::{
        Expr, Intent, Place, Program, Routine, Stmt, Vertex,
        visit::{PlaceRole, Visit, walk_place, walk_vertex},
    },
};

/// Calls `visit` for every statement of a routine.
pub(crate) fn each_statement<'r>(routine: &'r Routine, mut visit: impl FnMut(&'r Stmt)) {
    if let Some(cfg) = &routine.body {
        for (_, vertex) in cfg.vertices() {
            for statement in vertex.statements() {
                visit(statement);
            }
        }
    }
}

/// Calls `visit` for every variable of the routine that the statement itself may write (a callee's
/// globals are not among them).
pub(crate) fn each_written(program: &Program, statement: &Stmt, visit: &mut impl FnMut(VarId)) {
    Written { program, visit }.statement(statement);
}

struct Written<'a, F> {
    program: &'a Program,
    visit: &'a mut F,
}

impl<'ir, F: FnMut(VarId)> Visit<'ir> for Written<'_, F> {
    fn expr(&mut self, e: &'ir Expr, role: PlaceRole) {
        // Of expressions only those are written that are bound to a formal.
        if let (Expr::Place(place), PlaceRole::Bind { .. }) = (e, role) {
            self.place(place, role);
        }
    }

    fn place(&mut self, place: &'ir Place, role: PlaceRole) {
        let writes = match role {
            PlaceRole::Bind { callee, formal } => {
                let formal = self.program.routine(callee).variable(VarId::new(formal));
                formal.intent().is_some_and(Intent::writes)
            }
            role => role.writes(),
        };
        if writes {
            (self.visit)(place.var);
        }
    }

    fn variable(&mut self, v: &'ir VarId, role: PlaceRole) {
        if role == PlaceRole::Clobber {
            (self.visit)(*v);
        }
    }
}

/// Every place that a vertex names, but for the index of a LOOP; an element that is bound to an array formal counts as
/// the whole array.
pub(crate) fn each_place(program: &Program, vertex: &Vertex, place: &mut impl FnMut(&Place)) {
    let found = place;
    walk_vertex(&mut Places { program, found }, vertex);
}

struct Places<'a, F> {
    program: &'a Program,
    found: &'a mut F,
}

impl<'ir, F: FnMut(&Place)> Visit<'ir> for Places<'_, F> {
    fn place(&mut self, place: &'ir Place, role: PlaceRole) {
        (self.found)(place);
        walk_place(self, place);
        if let PlaceRole::Bind { callee, formal } = role
            && self
                .program
                .routine(callee)
                .variable(VarId::new(formal))
                .rank()
                > 0
        {
            (self.found)(&Place::whole(place.var));
        }
    }

    fn variable(&mut self, v: &'ir VarId, role: PlaceRole) {
        if matches!(role, PlaceRole::Read | PlaceRole::Clobber) {
            (self.found)(&Place::whole(*v));
        }
    }
}
