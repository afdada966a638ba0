//! The routines that must be marked as aliased, because they are passed globals that they, or routines that they call,
//! name.

use cfg_core::{
    entity::{GlobalId, RoutineId, VarId},
    ir::{Expr, Intent, Program, Role, Routine, StmtKind, visit::each_written},
    memory::{
        callgraph::CallGraph,
        effects::Effects,
        locations::Locations,
        overlaps::{self, Limits},
    },
};
use std::collections::{BTreeMap, BTreeSet};

/// Marks the routines of a program in which the globals from `first` on are those of pools.
pub(super) fn mark(program: &mut Program, first: GlobalId) {
    let pools = |role: Role| match role {
        Role::Global(g) if g >= first => Some(g),
        Role::Global(_) | Role::Local | Role::Parameter { .. } => None,
    };
    let named = named(program, pools);
    let passed = passed(program, pools);
    for ((r, _), globals) in passed {
        if !globals.is_disjoint(&named[r.index()]) {
            program.routines[r.index()].aliased = true;
        }
    }
}

/// Marks routines that are passed a global, or a part of it, that they name themselves or in calls, if the global or
/// the parameter is written. For front ends of languages that allow such calls.
pub fn mark_globals(program: &mut Program) {
    let storage = |role: Role| match role {
        Role::Global(g) => Some(program.storage(g).0),
        Role::Local | Role::Parameter { .. } => None,
    };
    let named = named(program, storage);
    let own = program.routines.iter().map(|routine| {
        let mut own = BTreeSet::new();
        for statement in routine.statements() {
            each_written(program, statement, &mut |v| {
                own.extend(storage(routine.variable(v).role));
            });
        }
        own
    });
    let mut written: Vec<BTreeSet<GlobalId>> = own.collect();
    CallGraph::build(program).propagate(&mut written, |all, more| all.extend(more));
    let mut found = Vec::new();
    for ((r, formal), globals) in passed(program, storage) {
        let intent = program.routine(r).variable(formal).intent();
        let meets = |g: &GlobalId| {
            named[r.index()].contains(g)
                && (intent != Some(Intent::In) || written[r.index()].contains(g))
        };
        if globals.iter().any(meets) {
            found.push(r);
        }
    }
    for r in found {
        program.routines[r.index()].aliased = true;
    }
}

/// Marks the routines to which a call passes more pairs of arguments that may overlap than a run compares. Each field
/// of a record is an argument, and in an `aliased` routine all parameters of one type may overlap.
pub(super) fn mark_crowded(program: &mut Program) {
    let globals = program.globals.len();
    let may_be = |routine: &Routine| {
        let count = routine.parameters.len();
        !routine.aliased && count.saturating_mul(count + globals) > Limits::default().compared
    };
    if !program.routines.iter().any(may_be) {
        return;
    }
    let effects = Effects::summarise(program);
    let mut open: Vec<RoutineId> = (0..program.routines.len()).map(RoutineId::new).collect();
    while let Some(r) = open.pop() {
        let routine = program.routine(r);
        let locations = Locations::divide(program, routine);
        let mut found = BTreeSet::new();
        for (callee, arguments) in calls(routine) {
            if may_be(program.routine(callee)) && !found.contains(&callee) {
                let caller = (routine, &locations);
                let pairs = overlaps::of_call(program, &effects, caller, callee, arguments);
                if pairs.is_err() {
                    found.insert(callee);
                }
            }
        }
        for callee in found {
            program.routines[callee.index()].aliased = true;
            // Arguments that it passes on may overlap from now on.
            open.push(callee);
        }
    }
}

/// The globals that each routine names, itself or in the routines that it calls.
fn named(program: &Program, global: impl Fn(Role) -> Option<GlobalId>) -> Vec<BTreeSet<GlobalId>> {
    let mut named: Vec<BTreeSet<GlobalId>> = (program.routines.iter())
        .map(|r| r.variables.iter().filter_map(|v| global(v.role)).collect())
        .collect();
    CallGraph::build(program).propagate(&mut named, |all, more| all.extend(more));
    named
}

/// The globals whose cells may be passed for each parameter.
fn passed(
    program: &Program,
    pools: impl Fn(Role) -> Option<GlobalId>,
) -> BTreeMap<(RoutineId, VarId), BTreeSet<GlobalId>> {
    let mut passed: BTreeMap<(RoutineId, VarId), BTreeSet<GlobalId>> = BTreeMap::new();
    // The parameters that each parameter is passed on to.
    let mut on: BTreeMap<(RoutineId, VarId), Vec<(RoutineId, VarId)>> = BTreeMap::new();
    let mut open = Vec::new();
    for (r, routine) in program.routines.iter().enumerate() {
        for (callee, arguments) in calls(routine) {
            let formals = program.routine(callee).parameter_ids();
            for (formal, argument) in formals.zip(arguments) {
                let Some(Expr::Place(place)) = argument else {
                    continue;
                };
                let role = routine.variable(place.var).role;
                if let Some(g) = pools(role) {
                    if passed.entry((callee, formal)).or_default().insert(g) {
                        open.push((callee, formal));
                    }
                } else if matches!(role, Role::Parameter { .. }) {
                    let from = (RoutineId::new(r), place.var);
                    on.entry(from).or_default().push((callee, formal));
                }
            }
        }
    }
    while let Some(from) = open.pop() {
        let globals = passed.get(&from).cloned().unwrap_or_default();
        for &to in on.get(&from).map_or(&[][..], Vec::as_slice) {
            let known = passed.entry(to).or_default();
            let before = known.len();
            known.extend(&globals);
            if known.len() > before {
                open.push(to);
            }
        }
    }
    passed
}

/// The calls of a routine: the routines that are called, and the arguments.
pub(crate) fn calls(routine: &Routine) -> impl Iterator<Item = (RoutineId, &[Option<Expr>])> {
    routine.statements().filter_map(|statement| {
        let StmtKind::Call {
            callee, arguments, ..
        } = &statement.kind
        else {
            return None;
        };
        Some((*callee, &arguments[..]))
    })
}
