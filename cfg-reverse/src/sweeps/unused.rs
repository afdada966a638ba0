//! Sweeps without the temporaries that no statement names: adjoints that were written in several ways leave some.

use cfg_core::{
    entity::VarId,
    ir::{
        NameRole, Place, Role, Routine, Variable,
        visit::{PlaceRole, Visit, VisitMut as _, walk_place},
    },
};
use fixedbitset::FixedBitSet;

use crate::code::renumbered::Renumbered;

/// The variables that a routine names.
struct Named(FixedBitSet);

impl<'ir> Visit<'ir> for Named {
    fn visit_place(&mut self, place: &'ir Place, role: PlaceRole) {
        self.visit_variable(&place.var, role);
        walk_place(self, place);
    }

    fn visit_variable(&mut self, v: &'ir VarId, _: PlaceRole) {
        self.0.insert(v.index());
    }
}

/// Takes out the temporaries from the variable `first` on that the routine does not name. The variables behind them
/// move up.
pub(super) fn without_unused(mut routine: Routine, first: usize) -> Routine {
    let mut named = Named(FixedBitSet::with_capacity(routine.variables.len()));
    named.visit_routine(&routine);
    let is_kept = |(v, variable): (usize, &Variable)| {
        let role = variable.origin.as_ref().map(|origin| &origin.role);
        let is_temporary = matches!(variable.role, Role::Local) && v >= first;
        named.0.contains(v) || !is_temporary || !matches!(role, Some(NameRole::Temporary))
    };
    let kept: Vec<bool> = (routine.variables.iter().enumerate())
        .map(is_kept)
        .collect();
    if kept.iter().all(|kept| *kept) {
        return routine;
    }
    let mut next = 0;
    let mut numbers = Vec::with_capacity(kept.len());
    for &kept in &kept {
        numbers.push(VarId::new(next));
        next += usize::from(kept);
    }
    let mut each = kept.into_iter();
    routine.variables.retain(|_| each.next().unwrap_or(true));
    let mut numbers = Renumbered(numbers);
    numbers.visit_routine(&mut routine);
    for parameter in &mut routine.parameters {
        *parameter = numbers.0[parameter.index()];
    }
    routine
}
