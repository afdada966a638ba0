//! Parameters whose cells nothing overwrites before the reverse sweep has read them for the last time.
//!
//! A parameter of the reversed routine lasts if it is `in` and shares no cells with others. A parameter of a routine
//! that it calls lasts if, besides, each call gives it a constant or cells of a parameter that lasts.

use cfg_analysis::{activity::Activity, reach::Reach};
use cfg_core::{
    entity::{RoutineId, VarId},
    flat::FlatExpr,
    ir::{Intent, Program, Routine, StmtKind},
};
use fixedbitset::FixedBitSet;

use crate::memory::summary::Summary;

/// The parameters that last, by routine. `sweeps`: the routines with sweeps.
pub(crate) fn lasting_parameters(
    program: &Program,
    summary: &Summary,
    activity: &Activity,
    sweeps: &[Option<(RoutineId, RoutineId)>],
) -> Vec<FixedBitSet> {
    let nodes = activity.nodes();
    let mut lost = FixedBitSet::with_capacity(nodes.len());
    let mut given = Reach::default();
    let routines = || {
        let all = program.routines.iter().enumerate();
        let with_sweeps = all.filter(|(r, _)| sweeps[*r].is_some());
        with_sweeps.map(|(r, routine)| (RoutineId::new(r), routine))
    };
    for (id, routine) in routines() {
        let variables = (0..routine.variables.len()).map(VarId::new);
        let changed = variables.filter(|&v| !is_kept(routine, v));
        lost.extend(changed.map(|v| nodes.node(id, routine, v)));
        summary.each_call(id, routine, |statement| {
            let StmtKind::Call {
                callee, arguments, ..
            } = &statement.kind
            else {
                return;
            };
            let called = program.routine(*callee);
            for (p, actual) in called.parameter_ids().zip(arguments) {
                let formal = nodes.node(*callee, called, p);
                match actual.as_ref().map(FlatExpr::view) {
                    Some(FlatExpr::Place(place)) => {
                        given.edge(nodes.node(id, routine, place.var), formal);
                    }
                    Some(FlatExpr::Constant(_)) => {}
                    Some(FlatExpr::Op(..)) | None => lost.insert(formal),
                }
            }
        });
    }
    let lost = given.forward(nodes.len(), &lost);
    let mut lasting = vec![FixedBitSet::new(); program.routines.len()];
    for (id, routine) in routines() {
        let of = (0..routine.variables.len()).map(VarId::new);
        let of = of.filter(|&v| !lost.contains(nodes.node(id, routine, v)));
        lasting[id.index()] = of.map(VarId::index).collect();
    }
    lasting
}

/// True of a parameter that the routine itself cannot change.
fn is_kept(routine: &Routine, v: VarId) -> bool {
    routine.variable(v).intent() == Some(Intent::In) && !routine.aliased
}
