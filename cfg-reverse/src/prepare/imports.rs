//! The globals that a routine names, and those that it leaves to the routines that it calls.
//!
//! A routine in normal form names the globals that it named before and, of those that its callees use, only
//!
//! - globals in the storage of one that it names itself, and globals whose cells its parameters may be: the analyses
//!   must see these together;
//! - globals in the declared shapes of results, and all globals of a callee with a given adjoint: the statements
//!   written for the call read these.
//!
//! The values of all others are followed from call to call ([`crate::plan::callee_globals`]). If each routine named
//! all globals of its callees, the size of programs would be quadratic in the depth of calls.

use cfg_core::{
    entity::{GlobalId, RoutineId},
    ir::{NameOrigin, NameRole, Program, Role, Routine},
    memory::{global_set::GlobalSet, named::global_variables},
};

use crate::{
    code::{names::Namer, routines::each_extent},
    memory::summary::{Summary, given_adjoint},
};

/// The globals that a routine must name although only its callees use them, in ascending order.
pub(crate) fn to_import(program: &Program, summary: &Summary, id: RoutineId) -> Vec<GlobalId> {
    let callees = summary.callees(id);
    let touched = summary.touched(id);
    if callees.is_empty() || touched.is_empty() {
        return Vec::new();
    }
    let routine = program.routine(id);
    let own: GlobalSet = global_variables(routine).map(|(_, g)| g).collect();
    let mut all = own.clone();
    for &callee in callees {
        let called = program.routine(callee);
        if given_adjoint(called).is_some() {
            all.extend(summary.touched(callee));
        }
        if called.result.is_some_and(|r| called.variable(r).rank() > 0) {
            for variable in &called.variables {
                each_extent(variable, &mut |e| {
                    e.walk_places(&mut |p| {
                        if let Role::Global(g) = called.variable(p.var).role {
                            all.insert(g);
                        }
                    });
                });
            }
        }
    }
    let of_callees = |set: &GlobalSet, all: &mut GlobalSet| {
        touched.each_common(set, |g| all.insert(g));
    };
    if routine.aliased {
        for p in routine.parameter_ids() {
            if let Some(set) = summary.effects.storage.of_type(routine.variable(p).ty) {
                of_callees(set, &mut all);
            }
        }
    }
    let mut with_overlays = all.clone();
    all.each_common(summary.effects.storage.overlaid(), |g| {
        if let Some(set) = summary.effects.storage.overlaid_with(g) {
            of_callees(set, &mut with_overlays);
        }
    });
    with_overlays.minus(&own).to_vec()
}

/// Renames variables of the routine that have the name of a callee's global, since the sweeps may have to name that
/// global.
pub(crate) fn import_globals(
    program: &Program,
    summary: &Summary,
    id: RoutineId,
    routine: &mut Routine,
    namer: &mut Namer,
) {
    let touched = summary.touched(id);
    if summary.callees(id).is_empty() || touched.is_empty() {
        return;
    }
    for variable in &mut routine.variables {
        if let Some(&g) = summary.by_name.get(&variable.name)
            && variable.role != Role::Global(g)
            && touched.contains(g)
        {
            let name = std::mem::take(&mut variable.name);
            variable.origin = Some(Box::new(NameOrigin::new(NameRole::Primal, &*name)));
            variable.name = namer.fresh_name(name);
        }
    }
    for g in to_import(program, summary, id) {
        let mut variable = program.global(g).variable.clone();
        variable.role = Role::Global(g);
        routine.add_variable(variable);
    }
}
