//! Functions whose loops push and pop scalars alone, such as the sweeps of a method for few differential equations.
//!
//! Values that are pushed together are neighbours on the tape. gcc makes vectors of neighbours, and of all that these
//! are computed from, even if the vectors must be taken apart and put together for each operation: of two variables x
//! and y a step reads both in each equation. A function with elements that change from pass to pass has other uses for
//! vectors.

use super::file::Written;
use cfg_core::{
    flat::FlatStmt,
    ir::{
        Place, Routine, TapeClass,
        visit::{PlaceRole, Visit, walk_place},
    },
};

/// True of a function in whose loops at least two scalars are pushed or popped, and nothing but scalars and elements
/// with constant subscripts is computed.
pub(super) fn keeps_scalars_alone(written: &Written<'_>) -> bool {
    let routine = &*written.routine;
    let (Some(cfg), Some(structure)) = (&routine.body, &written.structure) else {
        return false;
    };
    let mut places = Places {
        routine,
        are_scalars: true,
    };
    let mut recorded = 0;
    for (v, vertex) in cfg.vertices() {
        if structure.loop_depth[v.index()] == 0 {
            continue;
        }
        for statement in vertex.statements() {
            match FlatStmt::view(&statement.kind) {
                FlatStmt::Push { class, .. } | FlatStmt::Pop { class, .. } => {
                    recorded += usize::from(matches!(class, TapeClass::Real | TapeClass::Real32));
                }
                FlatStmt::Assign { .. } => {}
                FlatStmt::Call { .. } | FlatStmt::Opaque { .. } | FlatStmt::Stop { .. } => {
                    return false;
                }
            }
        }
        places.visit_vertex(v, vertex);
    }
    places.are_scalars && recorded >= 2
}

/// Whether all places are scalars, or elements with constant subscripts.
struct Places<'a> {
    routine: &'a Routine,
    are_scalars: bool,
}

impl<'ir> Visit<'ir> for Places<'_> {
    fn visit_place(&mut self, place: &'ir Place, _: PlaceRole) {
        walk_place(self, place);
        let variable = self.routine.variable(place.var);
        let is_scalar = variable.rank() == place.subscripts.len();
        self.are_scalars &= is_scalar && place.constant_subscripts().is_some();
    }
}
