//! Independents and dependents that the caller chooses instead of those in the file.

use crate::codes;
use crate::slot::{Slot, nearest};
use cfg_core::{
    diagnostic::{Diagnostics, similar::Similarity},
    entity::{GlobalId, RoutineId, VarId},
    ir::{CLeftOut, Program, Role, Routine, Variable},
};
use std::collections::{HashMap, HashSet};

/// Replaces a routine's independents and dependents; `None` leaves them as they are. A function's result
/// is called `return`.
///
/// # Errors
/// Names that are unknown or not real.
pub fn declare(
    program: &mut Program,
    routine: RoutineId,
    independents: Option<&[String]>,
    dependents: Option<&[String]>,
) -> Result<(), Diagnostics> {
    let mut problems = Diagnostics::default();
    let mut chosen = [None, None];
    for ((list, independent), chosen) in [(independents, true), (dependents, false)]
        .into_iter()
        .zip(&mut chosen)
    {
        let Some(names) = list else { continue };
        match choose(program, program.routine(routine), names, independent) {
            Ok(slots) => *chosen = Some(slots),
            Err(found) => problems.0.extend(found.0),
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let mut named: HashMap<GlobalId, VarId> = (program.routine(routine).variables.iter())
        .enumerate()
        .filter_map(|(v, variable)| match variable.role {
            Role::Global(g) => Some((g, VarId::new(v))),
            Role::Parameter { .. } | Role::Local => None,
        })
        .collect();
    let [independents, dependents] = chosen.map(|slots| {
        let slots = slots?.into_iter();
        let variables = slots.map(|slot| match slot {
            Slot::Parameter(v) | Slot::Result(v) => v,
            Slot::Global(g) => *named.entry(g).or_insert_with(|| {
                // The routine does not name the global yet: only its callees do.
                let variable = Variable {
                    role: Role::Global(g),
                    annotations: None,
                    ..program.global(g).variable.clone()
                };
                program.routines[routine.index()].add_variable(variable)
            }),
        });
        Some(variables.collect())
    });
    let target = &mut program.routines[routine.index()];
    if let Some(chosen) = independents {
        target.independents = chosen;
    }
    if let Some(chosen) = dependents {
        target.dependents = chosen;
    }
    Ok(())
}

/// True of reals, records with reals, and pointers to these.
fn has_derivative(program: &Program, variable: &Variable) -> bool {
    program.has_reals(variable.ty) || program.leads_to_reals(variable.ty)
}

/// The slots that the names mean, each once.
fn choose(
    program: &Program,
    routine: &Routine,
    names: &[String],
    independent: bool,
) -> Result<Vec<Slot>, Diagnostics> {
    let kind = if independent {
        "independent"
    } else {
        "dependent"
    };
    let by_name = Slot::by_name(program, routine);
    let started = CLeftOut::from_annotations(&program.annotations).started;
    let mut similarity = Similarity::default();
    let mut problems = Diagnostics::default();
    let mut seen = HashSet::new();
    let mut chosen = Vec::with_capacity(names.len());
    for name in names {
        let refusal = match by_name.get(name.as_str()) {
            None => {
                let known = (routine.variables.iter())
                    .filter(|v| v.role != Role::Local && has_derivative(program, v))
                    .chain(program.globals.iter().map(|g| &g.variable))
                    .map(|v| v.name.as_str());
                Some((
                    format!("routine {} has no {kind} {name}", routine.name),
                    nearest(&mut similarity, name, known),
                ))
            }
            Some(slot)
                if !(slot.variable(program, routine))
                    .is_some_and(|v| has_derivative(program, v)) =>
            {
                Some((
                    format!("{name} is not real, so it cannot be {kind}"),
                    "name variables of type real or real32".to_owned(),
                ))
            }
            Some(Slot::Global(_)) if independent && started.contains(name) => Some((
                format!(
                    "{name} has its initial value from the first call of {} on, so it cannot be independent",
                    routine.name
                ),
                "make it a parameter".to_owned(),
            )),
            Some(Slot::Result(_)) if independent => Some((
                format!(
                    "{name} is the result of {}, so it cannot be independent",
                    routine.name
                ),
                "independents have a value at entry".to_owned(),
            )),
            Some(&slot) => {
                if seen.insert(slot) {
                    chosen.push(slot);
                }
                None
            }
        };
        if let Some((message, help)) = refusal {
            let problem = codes::general(&codes::VARIABLE, message, help);
            problems.0.extend(problem.0);
        }
    }
    if problems.is_empty() {
        Ok(chosen)
    } else {
        Err(problems)
    }
}
