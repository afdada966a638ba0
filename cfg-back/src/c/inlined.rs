//! Sweeps that are compiled into their callers: small ones that loops call.
//!
//! Values that a forward sweep pushes at its end are popped first by the reverse sweep. Where a gradient calls one
//! right behind the other, for each pass of a loop, compilers then keep these values in registers, and no call passes
//! addresses of locals.

use cfg_core::{
    entity::RoutineId,
    flat::FlatStmt,
    ir::{Cfg, NameRole},
    memory::callgraph::CallGraph,
    validate::ValidProgram,
};

/// Most statements of a function, those of all functions that it calls included.
const MOST_STATEMENTS: usize = 250;

/// Most calls of a function.
const MOST_CALLS: usize = 3;

/// Whether the function of each routine is compiled into its callers: that of a small sweep that is called a few times,
/// in a loop, or by a function that is compiled into its callers itself, and by none that may call itself.
pub(super) fn inlined(program: &ValidProgram, graph: &CallGraph) -> Vec<bool> {
    let count = program.routines.len();
    let (mut calls, mut is_repeated) = (vec![0_usize; count], vec![false; count]);
    for (routine, r) in program.routines.iter().zip((0..).map(RoutineId::new)) {
        let structure = program.structure(r);
        for (v, vertex) in routine.body.iter().flat_map(Cfg::vertices) {
            for statement in vertex.statements() {
                if let FlatStmt::Call { callee, .. } = FlatStmt::view(&statement.kind) {
                    calls[callee.index()] += 1;
                    is_repeated[callee.index()] |=
                        structure.is_some_and(|s| s.loop_depth[v.index()] > 0);
                }
            }
        }
    }
    let mut sizes = vec![0_usize; count];
    let mut is_small = vec![false; count];
    // Callees come before callers.
    for component in graph.components() {
        let calls_itself = |r: &RoutineId| graph.callees(*r).contains(r);
        if component.len() > 1 || component.iter().any(calls_itself) {
            // Locals of callees would lie on the stack once for each level.
            for r in component {
                sizes[r.index()] = usize::MAX;
                graph
                    .callees(*r)
                    .iter()
                    .for_each(|callee| is_small[callee.index()] = false);
            }
            continue;
        }
        let Some(&r) = component.first() else {
            continue;
        };
        let routine = program.routine(r);
        let size = routine.statements().map(|s| match FlatStmt::view(&s.kind) {
            FlatStmt::Call { callee, .. } => sizes[callee.index()].max(1),
            FlatStmt::Assign { .. }
            | FlatStmt::Push { .. }
            | FlatStmt::Pop { .. }
            | FlatStmt::Opaque { .. }
            | FlatStmt::Stop { .. } => 1,
        });
        sizes[r.index()] = size.fold(0, usize::saturating_add);
        let role = routine.origin.as_ref().map(|origin| &origin.role);
        let is_sweep = matches!(role, Some(NameRole::Forward | NameRole::Reverse));
        is_small[r.index()] =
            is_sweep && calls[r.index()] <= MOST_CALLS && sizes[r.index()] <= MOST_STATEMENTS;
    }
    let mut inlined = vec![false; count];
    for &r in graph.components().iter().rev().flatten() {
        inlined[r.index()] = is_small[r.index()] && is_repeated[r.index()];
        if inlined[r.index()] {
            for callee in graph.callees(r) {
                is_repeated[callee.index()] = true;
            }
        }
    }
    inlined
}
