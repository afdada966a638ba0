//! The places that a vertex names.

use cfg_core::{
    entity::VarId,
    ir::{
        Place, Program, Vertex,
        visit::{PlaceRole, Visit, walk_place, walk_vertex},
    },
};

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
