//! Parameters that are `in` and may change all the same: the routine writes their cells by another name.

use cfg_core::{
    diagnostic::site::Element,
    entity::{GlobalId, RoutineId, VarId},
    ir::{Expr, Intent, Place, Program, Role, Routine, StmtKind, visit::each_written},
    memory::locations::Locations,
};
use fixedbitset::FixedBitSet;
use std::collections::{BTreeMap, HashMap, HashSet};

use crate::memory::summary::Summary;

/// Most written arguments in one storage that are compared with one that is read; more of them count as overlapping.
const TOLD_APART: usize = 500;

/// The name by which a parameter that is `in` is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OtherName {
    /// Another parameter of the routine.
    Parameter(VarId),
    /// A global.
    Global(GlobalId),
}

/// A call that hands over, for a parameter that is `in`, cells that the called routine writes by another name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change {
    pub(crate) name: OtherName,
    /// The routine that has the call, and the statement there.
    pub(crate) caller: RoutineId,
    pub(crate) call: Element,
}

/// An argument that is a place.
struct Handed<'p> {
    parameter: VarId,
    place: &'p Place,
    scalar: bool,
    intent: Intent,
}

/// The variables that the statements and loops of a routine write themselves.
pub(crate) fn assigned(program: &Program, routine: &Routine) -> FixedBitSet {
    let mut written = FixedBitSet::with_capacity(routine.variables.len());
    for (_, vertex) in routine.body.iter().flat_map(|cfg| cfg.vertices()) {
        written.extend(vertex.kind.index().map(VarId::index));
        for statement in vertex.statements() {
            each_written(program, statement, &mut |v| written.insert(v.index()));
        }
    }
    written
}

/// For each `aliased` routine, the parameters that are `in` and may change all the same, each with the first call
/// that shows it: the call hands over cells that the routine writes by the name of another parameter or of a global.
/// Only callers with sweeps count.
pub(crate) fn changed_by_other_names(
    program: &Program,
    summary: &Summary,
    sweeps: &[Option<(RoutineId, RoutineId)>],
) -> Vec<BTreeMap<VarId, Change>> {
    let mut changed = vec![BTreeMap::new(); program.routines.len()];
    let mut assigned_by: HashMap<RoutineId, FixedBitSet> = HashMap::new();
    let of_globals = cells_of_globals(program);
    let callers = program.routines.iter().zip(sweeps).enumerate();
    for (r, (caller, _)) in callers.filter(|(_, (_, sweeps))| sweeps.is_some()) {
        let mut known = None;
        let vertices = caller.body.iter().flat_map(|cfg| cfg.vertices());
        let statements = vertices
            .flat_map(|(v, vertex)| (vertex.statements().iter().enumerate()).map(move |s| (v, s)));
        for (v, (s, statement)) in statements {
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
            let assigned =
                &*(assigned_by.entry(*callee)).or_insert_with(|| assigned(program, called));
            let locations = &*known.get_or_insert_with(|| Locations::divide(program, caller));
            let handed: Vec<Handed<'_>> = (called.parameter_ids().zip(arguments))
                .filter_map(|(parameter, argument)| match argument {
                    Some(Expr::Place(place)) => Some(Handed {
                        parameter,
                        place,
                        scalar: called.variable(parameter).rank() == 0,
                        intent: called.variable(parameter).intent()?,
                    }),
                    _ => None,
                })
                .collect();
            let mut outputs: HashMap<usize, Vec<&Handed<'_>>> = HashMap::new();
            // A parameter that is `out` loses its value at the entry: it counts as written.
            let written =
                |h: &&Handed<'_>| h.intent == Intent::Out || assigned.contains(h.parameter.index());
            for output in handed.iter().filter(written) {
                let location = locations.of_variable(output.place.var).index();
                outputs.entry(location).or_default().push(output);
            }
            for input in handed.iter().filter(|h| !h.intent.writes()) {
                let same = outputs.get(&locations.of_variable(input.place.var).index());
                let same = same.map(Vec::as_slice).unwrap_or_default();
                let many = same.len() > TOLD_APART;
                let may_overlap = |output: &&&Handed<'_>| {
                    let elements = input.scalar && output.scalar;
                    many || !elements || locations.may_overlap(input.place, output.place)
                };
                let by_parameter = same.iter().find(may_overlap);
                let own = (RoutineId::new(r), input.place.var);
                let name = match by_parameter {
                    Some(output) => Some(OtherName::Parameter(output.parameter)),
                    None if is_value(caller, own.1) && !of_globals.contains(&own) => None,
                    None => {
                        global_name(summary, caller, called, *callee, input).map(OtherName::Global)
                    }
                };
                if let Some(name) = name {
                    let change = Change {
                        name,
                        caller: RoutineId::new(r),
                        call: Element::Statement(v, s),
                    };
                    changed[callee.index()]
                        .entry(input.parameter)
                        .or_insert(change);
                }
            }
        }
    }
    changed
}

/// True of a parameter that callers outside of the program pass by value.
fn is_value(routine: &Routine, v: VarId) -> bool {
    let variable = routine.variable(v);
    let role = Role::Parameter {
        intent: Intent::In,
        optional: false,
    };
    variable.role == role && variable.rank() == 0 && variable.ty.record().is_none()
}

/// The parameters that are passed by value from outside and may be cells of globals in calls of the program.
fn cells_of_globals(program: &Program) -> HashSet<(RoutineId, VarId)> {
    let (mut found, mut open) = (HashSet::new(), Vec::new());
    let mut on: HashMap<(RoutineId, VarId), Vec<(RoutineId, VarId)>> = HashMap::new();
    for (r, routine) in program.routines.iter().enumerate() {
        for statement in routine.statements() {
            let StmtKind::Call {
                callee, arguments, ..
            } = &statement.kind
            else {
                continue;
            };
            let called = program.routine(*callee);
            for (formal, argument) in called.parameter_ids().zip(arguments) {
                let Some(Expr::Place(place)) = argument else {
                    continue;
                };
                let to = (*callee, formal);
                match routine.variable(place.var).role {
                    _ if !is_value(called, formal) => {}
                    Role::Local => {}
                    Role::Parameter { .. } if is_value(routine, place.var) => {
                        let from = (RoutineId::new(r), place.var);
                        on.entry(from).or_default().push(to);
                    }
                    Role::Global(_) | Role::Parameter { .. } => open.push(to),
                }
            }
        }
    }
    while let Some(cell) = open.pop() {
        if found.insert(cell) {
            open.extend(on.get(&cell).into_iter().flatten());
        }
    }
    found
}

/// The first global that a call may write and that may have cells of an argument.
fn global_name(
    summary: &Summary,
    caller: &Routine,
    called: &Routine,
    callee: RoutineId,
    input: &Handed<'_>,
) -> Option<GlobalId> {
    let storage = &summary.effects.storage;
    let written = summary.written(callee);
    let among = match caller.variable(input.place.var).role {
        Role::Global(g) if written.contains(g) => return Some(g),
        Role::Global(g) => storage.overlaid_with(g),
        Role::Parameter { .. } if caller.aliased => {
            storage.of_type(called.variable(input.parameter).ty)
        }
        Role::Parameter { .. } | Role::Local => None,
    };
    let mut first = None;
    among?.each_common(written, |g| first = first.or(Some(g)));
    first
}
