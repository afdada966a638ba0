//! The variables that a caller can set, seed and read: parameters, globals, and a function's result.

use crate::codes;
use cfg_core::diagnostic::Diagnostics;
use cfg_core::diagnostic::similar::Similarity;
use cfg_core::entity::{GlobalId, VarId};
use cfg_core::ir::{Program, Role, Routine, Variable};
use std::collections::{HashMap, HashSet};

/// A variable that outlives a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Slot {
    /// A parameter.
    Parameter(VarId),
    /// A global variable.
    Global(GlobalId),
    /// The function's result.
    Result(VarId),
}

impl Slot {
    /// The slot of a routine's variable; `None` for a local.
    pub fn from_variable(routine: &Routine, v: VarId) -> Option<Self> {
        if routine.result == Some(v) {
            return Some(Self::Result(v));
        }
        match routine.variables.get(v.index())?.role {
            Role::Parameter { .. } => Some(Self::Parameter(v)),
            Role::Global(g) => Some(Self::Global(g)),
            Role::Local => None,
        }
    }

    /// The slot that a name in POINT, SEED or on the command line means.
    pub fn find(program: &Program, routine: &Routine, name: &str) -> Option<Self> {
        if result_key(routine) == Some(name) {
            return routine.result.map(Self::Result);
        }
        let own = routine.find_variable(name);
        if let Some(slot) = own.and_then(|v| Self::from_variable(routine, v)) {
            return Some(slot);
        }
        let globals = &program.globals;
        let position = globals.iter().position(|g| g.variable.name == name)?;
        Some(Self::Global(GlobalId::new(position)))
    }

    /// All names that [`Self::find`] finds, as a table for many look-ups.
    pub(crate) fn by_name<'p>(
        program: &'p Program,
        routine: &'p Routine,
    ) -> HashMap<&'p str, Self> {
        let globals = program.globals.iter().enumerate();
        let globals = globals.map(|(g, global)| {
            let slot = Self::Global(GlobalId::new(g));
            (global.variable.name.as_str(), slot)
        });
        let own = routine.variables.iter().enumerate();
        let own = own.filter_map(|(v, variable)| {
            Some((
                variable.name.as_str(),
                Self::from_variable(routine, VarId::new(v))?,
            ))
        });
        let result = result_key(routine).zip(routine.result.map(Self::Result));
        // Of several slots with one name the last one counts.
        globals.chain(own).chain(result).collect()
    }

    /// The declaration of the slot's variable.
    pub fn variable<'p>(self, program: &'p Program, routine: &'p Routine) -> Option<&'p Variable> {
        match self {
            Self::Parameter(v) | Self::Result(v) => routine.variables.get(v.index()),
            Self::Global(g) => program.globals.get(g.index()).map(|g| &g.variable),
        }
    }

    /// The name of the slot in POINT, SEED and results. A function's result is called `return`.
    pub fn key<'p>(self, program: &'p Program, routine: &'p Routine) -> &'p str {
        match self {
            Self::Result(_) => result_key(routine).unwrap_or("return"),
            Self::Parameter(_) | Self::Global(_) => {
                self.variable(program, routine).map_or("", |v| &v.name)
            }
        }
    }
}

/// The key of a function's result: `return`, or the variable's own name if another variable is called so.
fn result_key(routine: &Routine) -> Option<&str> {
    let result = routine.result?;
    let taken = routine.find_variable("return").is_some_and(|v| v != result);
    Some(if taken {
        &routine.variables.get(result.index())?.name
    } else {
        "return"
    })
}

/// Independents and dependents of a routine, which must have both.
pub(crate) fn active_slots(routine: &Routine) -> Result<(Vec<Slot>, Vec<Slot>), Diagnostics> {
    let slots = |list: &[VarId]| -> Vec<Slot> {
        list.iter()
            .filter_map(|&v| Slot::from_variable(routine, v))
            .collect()
    };
    let found = (slots(&routine.independents), slots(&routine.dependents));
    let missing = match (found.0.is_empty(), found.1.is_empty()) {
        (true, true) => "independent and no dependent",
        (true, false) => "independent",
        (false, true) => "dependent",
        (false, false) => return Ok(found),
    };
    Err(codes::general(
        &codes::NOTHING,
        format!("routine {} has no {missing} variables", routine.name),
        "declare them in the file, or name them with --independent and --dependent",
    ))
}

/// The nearest known name, or a list of the known names. Fields of one record, `p.x` and `p.y`, are listed as `p`.
pub(crate) fn nearest<'n>(
    similarity: &mut Similarity,
    name: &str,
    known: impl Iterator<Item = &'n str>,
) -> String {
    let mut seen = HashSet::new();
    let known: Vec<&str> = known
        .map(|name| name.split_once('.').map_or(name, |(record, _)| record))
        .filter(|name| seen.insert(*name))
        .collect();
    if let Some(question) = similarity.did_you_mean(name, known.iter().copied()) {
        return question;
    }
    let mut list: Vec<&str> = known.into_iter().take(21).collect();
    if list.len() > 20 {
        list[20] = "...";
    }
    if list.is_empty() {
        "there are none".to_owned()
    } else {
        format!("known are {}", list.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Up to 20 names are listed; of more names, the first 20.
    #[test]
    fn names_are_listed_up_to_a_number() {
        let listed = |count: usize| {
            let names: Vec<String> = (1..=count).map(|k| format!("name{k}")).collect();
            let known = names.iter().map(String::as_str);
            nearest(&mut Similarity::default(), "?", known)
        };
        assert!(listed(20).ends_with(", name19, name20"), "{}", listed(20));
        let cut = listed(21);
        assert!(cut.ends_with(", name19, name20, ..."), "{cut}");
    }
}
