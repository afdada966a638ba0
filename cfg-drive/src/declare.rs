//! Independents and dependents that the caller chooses instead of those in the file.

use crate::codes;
use crate::slot::{Slot, nearest};
use cfg_core::{
    diagnostic::{Diagnostics, similar::Similarity},
    entity::{RoutineId, VarId},
    ir::{Program, Role, Variable},
};

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
    for (list, independent) in [(independents, true), (dependents, false)] {
        let Some(names) = list else { continue };
        let mut chosen = Vec::with_capacity(names.len());
        for name in names {
            match choose(program, routine, name, independent) {
                Ok(v) if chosen.contains(&v) => {}
                Ok(v) => chosen.push(v),
                Err(found) => problems.0.extend(found.0),
            }
        }
        let target = &mut program.routines[routine.index()];
        if independent {
            target.independents = chosen;
        } else {
            target.dependents = chosen;
        }
    }
    if problems.is_empty() {
        Ok(())
    } else {
        Err(problems)
    }
}

fn choose(
    program: &mut Program,
    id: RoutineId,
    name: &str,
    independent: bool,
) -> Result<VarId, Diagnostics> {
    let routine = program.routine(id);
    let kind = if independent {
        "independent"
    } else {
        "dependent"
    };
    let refuse =
        |message: String, help: String| Err(codes::general(&codes::VARIABLE, message, help));
    let Some(slot) = Slot::find(program, routine, name) else {
        let known: Vec<&str> = routine
            .variables
            .iter()
            .filter(|v| v.role != Role::Local && v.ty.is_real())
            .chain(program.globals.iter().map(|g| &g.variable))
            .map(|v| &*v.name)
            .collect();
        return refuse(
            format!("routine {} has no {kind} {name}", routine.name),
            nearest(&mut Similarity::default(), name, known.iter().copied()),
        );
    };
    let real = slot
        .variable(program, routine)
        .is_some_and(|v| v.ty.is_real());
    if !real {
        return refuse(
            format!("{name} is not real, so it cannot be {kind}"),
            "name variables of type real or real32".to_owned(),
        );
    }
    match slot {
        Slot::Result(_) if independent => refuse(
            format!(
                "{name} is the result of {}, so it cannot be independent",
                routine.name
            ),
            "independents have a value at entry".to_owned(),
        ),
        Slot::Parameter(v) | Slot::Result(v) => Ok(v),
        Slot::Global(g) => {
            let seen = routine
                .variables
                .iter()
                .position(|v| v.role == Role::Global(g));
            Ok(match seen {
                Some(v) => VarId::new(v),
                // Only routines that it calls name the global so far.
                None => {
                    let global = program.global(g).variable.clone();
                    program.routines[id.index()].add_variable(Variable {
                        role: Role::Global(g),
                        annotations: None,
                        ..global
                    })
                }
            })
        }
    }
}
