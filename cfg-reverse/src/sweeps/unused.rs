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
pub(crate) fn without_unused(mut routine: Routine, first: usize) -> Routine {
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
    let out: Vec<bool> = kept.into_iter().map(|kept| !kept).collect();
    without(&mut routine, &out);
    routine
}

/// Takes variables out of a routine that does not name them but as parameters, independents and dependents. Those
/// behind them move up.
pub(crate) fn without(routine: &mut Routine, out: &[bool]) {
    let mut next = 0;
    let mut numbers = Vec::with_capacity(out.len());
    for &is_out in out {
        numbers.push(VarId::new(next));
        next += usize::from(!is_out);
    }
    let mut each = out.iter();
    (routine.variables).retain(|_| each.next().is_none_or(|is_out| !is_out));
    let lists = [
        &mut routine.parameters,
        &mut routine.independents,
        &mut routine.dependents,
    ];
    for list in lists {
        list.retain(|v| !out[v.index()]);
        list.iter_mut().for_each(|v| *v = numbers[v.index()]);
    }
    if let Some(v) = &mut routine.result {
        *v = numbers[v.index()];
    }
    Renumbered(numbers).visit_routine(routine);
}
