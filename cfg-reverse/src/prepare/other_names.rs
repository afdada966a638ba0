//! What may change though it is a parameter that is `in`.

use cfg_core::{
    entity::{RoutineId, VarId},
    ir::{Expr, Intent, Program, Role, StmtKind},
    memory::locations::Locations,
};
use fixedbitset::FixedBitSet;
use std::collections::HashSet;

use crate::memory::summary::Summary;

/// Of each `aliased` routine its parameters that are `in` and all the same may change: calls hand over cells for them that the routine
/// writes by another name, that of another parameter or of a global. Only callers count that have sweeps.
pub(crate) fn changed_by_other_names(
    program: &Program,
    summary: &Summary,
    sweeps: &[Option<(RoutineId, RoutineId)>],
) -> Vec<FixedBitSet> {
    let mut changed = vec![FixedBitSet::new(); program.routines.len()];
    let storage = &summary.effects.storage;
    let callers = program.routines.iter().zip(sweeps);
    for (caller, _) in callers.filter(|(_, sweeps)| sweeps.is_some()) {
        let mut known = None;
        for statement in caller.statements() {
            let StmtKind::Call {
                callee, arguments, ..
            } = &statement.kind
            else {
                continue;
            };
            let called = program.routine(*callee);
            if !called.aliased {
                continue;
            }
            let locations = &*known.get_or_insert_with(|| Locations::of(program, caller));
            let location = |v: VarId| locations.of_variable(v).index();
            let handed: Vec<(VarId, Intent, VarId)> = (called.parameter_ids().zip(arguments))
                .filter_map(|(p, argument)| match argument {
                    Some(Expr::Place(place)) => Some((p, called.variable(p).intent()?, place.var)),
                    _ => None,
                })
                .collect();
            let outputs = handed.iter().filter(|(_, intent, _)| intent.writes());
            let outputs: HashSet<usize> = outputs.map(|&(_, _, v)| location(v)).collect();
            let written = summary.written(*callee);
            let inputs = handed.iter().filter(|(_, intent, _)| !intent.writes());
            for &(p, _, v) in inputs {
                let by_global = match caller.variable(v).role {
                    Role::Global(g) => storage.meets(written, g),
                    Role::Parameter { .. } => {
                        let of_type = storage.of_type(called.variable(p).ty);
                        caller.aliased && of_type.is_some_and(|all| all.intersects(written))
                    }
                    Role::Local => false,
                };
                if by_global || outputs.contains(&location(v)) {
                    changed[callee.index()].grow_and_insert(p.index());
                }
            }
        }
    }
    changed
}
