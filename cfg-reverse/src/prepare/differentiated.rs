//! The routines that get a forward and a reverse sweep.

use cfg_analysis::activity::Activity;
use cfg_core::{
    entity::{RoutineId, VarId},
    ir::{Program, Role},
    memory::global_set::GlobalSet,
};
use fixedbitset::FixedBitSet;

use crate::memory::summary::{Summary, given_adjoint};

/// Gives ids to the sweeps of every routine that gets them: a routine with a body that has an active variable, calls
/// a routine with sweeps that uses an active global (a routine does not name the globals that only its callees use),
/// or may write a global of `inside`, which it must record.
pub(crate) fn number_sweeps(
    normal: &Program,
    summary: &Summary,
    activity: &Activity,
    inside: &GlobalSet,
    (reachable, main): (&[RoutineId], RoutineId),
) -> Vec<Option<(RoutineId, RoutineId)>> {
    let n = normal.routines.len();
    let mut differentiated = FixedBitSet::with_capacity(n);
    let callers = summary.effects.calls.callers(reachable);
    // Routines that reach an active global, and the work list of those whose callers are still to be marked.
    let mut reaches = FixedBitSet::with_capacity(n);
    let mut work = Vec::new();
    for &r in reachable {
        let routine = normal.routine(r);
        if routine.body.is_none() {
            continue;
        }
        let is_given = given_adjoint(routine).is_some();
        let (mut active, mut global) = (false, false);
        for (v, variable) in routine.variables.iter().enumerate() {
            if variable.ty.is_real() && activity.is_active(r, routine, VarId::new(v)) {
                active = true;
                global |= matches!(variable.role, Role::Global(_));
            }
        }
        let records = summary.written(r).intersects(inside);
        if r == main || ((active || records) && !is_given) {
            differentiated.insert(r.index());
        }
        if global && !is_given {
            reaches.insert(r.index());
            work.push(r);
        }
    }
    while let Some(r) = work.pop() {
        for &caller in &callers[r.index()] {
            if given_adjoint(normal.routine(caller)).is_none() && !reaches.put(caller.index()) {
                differentiated.insert(caller.index());
                work.push(caller);
            }
        }
    }
    let mut next = n;
    let mut sweeps = vec![None; normal.routines.len()];
    for r in differentiated.ones() {
        sweeps[r] = Some((RoutineId::new(next), RoutineId::new(next + 1)));
        next += 2;
    }
    sweeps
}
