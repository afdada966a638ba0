//! Names of source programs: symbols carry a number that the front end appended.

use cfg_core::{
    entity::{RoutineId, VarId},
    ir::{Annotations, Program},
};
use std::collections::HashSet;

/// The source name of a symbol: without the trailing `_N` or `__N`, in lower case.
///
/// ```
/// assert_eq!(cfg_front::xaif::short_name("head__24"), "head");
/// assert_eq!(cfg_front::xaif::short_name("OAD_CTMP0_4"), "oad_ctmp0");
/// ```
pub fn short_name(symbol_id: &str) -> String {
    let without_digits = symbol_id.trim_end_matches(|c: char| c.is_ascii_digit());
    let stem = match without_digits.strip_suffix('_') {
        Some(stem) if without_digits.len() < symbol_id.len() => {
            stem.strip_suffix('_').unwrap_or(stem)
        }
        _ => symbol_id,
    };
    let stem = stem.trim_start_matches('.');
    let stem = if stem.is_empty() { symbol_id } else { stem };
    stem.to_ascii_lowercase()
}

/// True if the annotations say that the element comes from this symbol.
pub(crate) fn has_symbol(annotations: &Annotations, symbol_id: &str) -> bool {
    let Some(xaif) = annotations.as_ref().and_then(|a| a.get("xaif")) else {
        return false;
    };
    xaif.get("symbol").and_then(|s| s.as_str()) == Some(symbol_id)
        || xaif
            .get("symbols")
            .and_then(|s| s.as_array())
            .is_some_and(|s| s.iter().any(|s| s.as_str() == Some(symbol_id)))
}

/// The routine with this name: its own name, its short name, or its whole symbol.
pub fn find_routine(program: &Program, name: &str) -> Option<RoutineId> {
    let lower = name.to_ascii_lowercase();
    let by = |f: &dyn Fn(&cfg_core::ir::Routine) -> bool| {
        program.routines.iter().position(f).map(RoutineId::new)
    };
    by(&|r| r.name == name)
        .or_else(|| by(&|r| has_symbol(&r.annotations, name)))
        .or_else(|| by(&|r| r.name == lower))
}

/// The variable of a routine with this name: its own name or its whole symbol.
pub fn find_variable(program: &Program, routine: RoutineId, name: &str) -> Option<VarId> {
    let variables = &program.routine(routine).variables;
    let lower = name.to_ascii_lowercase();
    let by =
        |f: &dyn Fn(&cfg_core::ir::Variable) -> bool| variables.iter().position(f).map(VarId::new);
    by(&|v| v.name == name)
        .or_else(|| by(&|v| has_symbol(&v.annotations, name)))
        .or_else(|| by(&|v| v.name == lower))
}

/// A name that is not taken: the wish, else the other, else with underscores.
pub(crate) fn fresh_name(taken: &mut HashSet<String>, wish: &str, other: &str) -> String {
    let mut name = if taken.contains(wish) { other } else { wish }.to_owned();
    while !taken.insert(name.clone()) {
        name.push('_');
    }
    name
}
