//! Code whose variables get other numbers.

use cfg_core::{
    entity::VarId,
    ir::{
        Place,
        visit::{PlaceRole, VisitMut, walk_place_mut},
    },
};

/// The new number of each variable.
pub(crate) struct Renumbered(pub(crate) Vec<VarId>);

impl VisitMut for Renumbered {
    fn visit_place(&mut self, place: &mut Place, role: PlaceRole) {
        self.visit_variable(&mut place.var, role);
        walk_place_mut(self, place);
    }

    fn visit_variable(&mut self, v: &mut VarId, _: PlaceRole) {
        *v = self.0[v.index()];
    }
}
