//! Routines whose adjoint parameters may overlap.

use cfg_core::{
    entity::{GlobalId, LocationId, RoutineId},
    flat::FlatExpr,
    ir::{Expr, Program, Role, StmtKind},
    memory::{locations::Locations, named::global_variables},
};
use fixedbitset::FixedBitSet;
use std::collections::HashMap;

use crate::memory::summary::Summary;

/// Routines whose adjoint parameters may overlap, because in some call two actuals (or an actual and a global that
/// the callee names) share storage. Reading a cell by two names is legal, but both adjoints are then increments of
/// one cell.
pub(crate) fn overlapping(
    program: &Program,
    summary: &Summary,
    reachable: &[RoutineId],
) -> FixedBitSet {
    let mut marked = FixedBitSet::with_capacity(program.routines.len());
    let mut passes: Vec<Vec<RoutineId>> = vec![Vec::new(); program.routines.len()];
    let real = summary.effects.storage.real();
    let mut names_globals = FixedBitSet::with_capacity(passes.len());
    for &r in reachable {
        let named = summary.touched(r).intersects(&real);
        names_globals.set(r.index(), named);
    }
    for &r in reachable {
        let routine = program.routine(r);
        if routine.aliased {
            marked.insert(r.index());
        }
        let locations = Locations::divide(program, routine);
        let mut globals: HashMap<LocationId, Vec<GlobalId>> = HashMap::new();
        for (v, g) in global_variables(routine) {
            globals.entry(locations.of_variable(v)).or_default().push(g);
        }
        summary.each_call(r, routine, |statement| {
            let StmtKind::Call {
                callee, arguments, ..
            } = &statement.kind
            else {
                return;
            };
            let mut actuals: Vec<LocationId> = arguments
                .iter()
                .flatten()
                .filter_map(|e| match FlatExpr::view(e) {
                    FlatExpr::Place(p) if routine.variable(p.var).ty.is_real() => {
                        Some(locations.of_variable(p.var))
                    }
                    FlatExpr::Constant(_) | FlatExpr::Place(_) | FlatExpr::Op(..) => None,
                })
                .collect();
            // In a routine found before, a parameter may share cells with another one, or with a global.
            let (mut parameters, mut named) = (0, names_globals.contains(callee.index()));
            for e in arguments.iter().flatten() {
                if let Expr::Place(p) = e
                    && routine.variable(p.var).ty.is_real()
                {
                    match routine.variable(p.var).role {
                        Role::Parameter { .. } => parameters += 1,
                        Role::Global(_) => named = true,
                        Role::Local => {}
                    }
                }
            }
            if parameters > 1 || (parameters == 1 && named) {
                passes[r.index()].push(*callee);
            }
            let touched = summary.touched(*callee);
            actuals.sort_unstable();
            let twice = actuals.windows(2).any(|w| w[0] == w[1]);
            actuals.dedup();
            let global = (actuals.iter().filter_map(|location| globals.get(location)))
                .any(|same| same.iter().any(|&g| touched.contains(g)));
            if twice || global {
                marked.insert(callee.index());
            }
        });
    }
    let mut work: Vec<usize> = marked.ones().collect();
    while let Some(r) = work.pop() {
        for callee in &passes[r] {
            if !marked.put(callee.index()) {
                work.push(callee.index());
            }
        }
    }
    marked
}
