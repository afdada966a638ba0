//! Reading and validating together: every problem once.

use super::{Parsed, add_pointers, locate_problems, parse};
use cfg_core::{
    codes,
    diagnostic::{Diagnostic, Diagnostics, Severity},
    entity::RoutineId,
    ir::Program,
    validate::{Examined, ValidProgram, examine},
};
use std::collections::HashSet;

/// A program that was read, with all its problems.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// The program with the facts that validation found, if it could be read at all.
    examined: Option<Examined>,
    /// Problems of reading, then of validation.
    pub problems: Diagnostics,
}

impl Checked {
    /// A file that could not be read, for these reasons.
    pub fn unread(problems: Diagnostics) -> Self {
        Self {
            problems,
            ..Self::default()
        }
    }

    /// The program, if it could be read at all.
    pub fn program(&self) -> Option<&Program> {
        self.examined.as_ref().map(Examined::program)
    }

    /// The program, if it keeps all rules.
    ///
    /// # Errors
    /// All problems, if one of them is an error.
    pub fn into_valid(self) -> Result<ValidProgram, Diagnostics> {
        match self.examined {
            Some(examined) if !self.problems.has_errors() => {
                examined.into_valid().ok_or(self.problems)
            }
            _ => Err(self.problems),
        }
    }
}

/// Reads and validates a program.
///
/// # Errors
/// All problems, each with JSON pointer, line and column.
pub fn read_valid(bytes: &[u8]) -> Result<ValidProgram, Diagnostics> {
    let mut checked = check(parse(bytes));
    let program = checked.examined.as_ref().map(Examined::program);
    locate_problems(&mut checked.problems, bytes, program);
    checked.into_valid()
}

/// Validates a program that was read. Problems of validation that follow from an unreadable part are left out; the
/// others have pointers as places, without lines.
pub fn check(parsed: Parsed) -> Checked {
    let Parsed {
        program,
        mut problems,
        in_labels,
        broken,
    } = parsed;
    let Some(program) = program else {
        return Checked::unread(problems);
    };
    let (examined, mut found) = examine(program);
    found.0.extend(examined.check_in_labels(&in_labels).0);
    add_pointers(examined.program(), &mut found);
    if !problems.is_empty() {
        let known = Known::collect(&problems, &broken);
        // Unreadable parts may assign variables that seem to lack a value, so warnings are dropped.
        found
            .0
            .retain(|d| d.severity == Severity::Error && !known.explains(d));
    }
    problems.0.extend(found.0);
    Checked {
        examined: Some(examined),
        problems,
    }
}

/// The places and routines of the errors that reading has reported.
struct Known<'p> {
    pointers: HashSet<&'p str>,
    units: HashSet<&'p str>,
    /// Routines with any problem.
    routines: HashSet<&'p str>,
    broken: HashSet<String>,
}

impl<'p> Known<'p> {
    fn collect(problems: &'p Diagnostics, broken: &[RoutineId]) -> Self {
        let errors = problems.iter().filter(|d| d.severity == Severity::Error);
        let pointers: HashSet<&str> = errors.filter_map(|d| d.at.pointer.as_deref()).collect();
        Self {
            units: pointers.iter().filter_map(|p| unit_of(p)).collect(),
            routines: pointers.iter().filter_map(|p| routine_of(p)).collect(),
            broken: broken
                .iter()
                .map(|r| format!("/routines/{}", r.index()))
                .collect(),
            pointers,
        }
    }

    /// True if a problem of validation follows from a reported one.
    fn explains(&self, d: &Diagnostic) -> bool {
        let Some(pointer) = d.at.pointer.as_deref() else {
            return false;
        };
        let parent = pointer.rsplit_once('/').map_or("", |(parent, _)| parent);
        if self.pointers.contains(pointer) || self.pointers.contains(parent) {
            return true;
        }
        let structural = is_structural(d.code);
        if !structural && unit_of(pointer).is_some_and(|unit| self.units.contains(unit)) {
            return true;
        }
        let Some(routine) = routine_of(pointer) else {
            return false;
        };
        // A missing edge or vertex causes problems all over the graph, a missing statement wherever its target is
        // used.
        let no_body = d.code == codes::BODY.code;
        (self.broken.contains(routine) && (structural || no_body))
            || (self.routines.contains(routine) && d.code == codes::UNDEFINED.code)
    }
}

/// The first `count` segments of a pointer; `None` if it has fewer.
fn prefix(pointer: &str, count: usize) -> Option<&str> {
    let mut ends = pointer.match_indices('/').map(|(i, _)| i).skip(1);
    match ends.nth(count - 1) {
        Some(end) => Some(&pointer[..end]),
        None if pointer.matches('/').count() == count => Some(pointer),
        None => None,
    }
}

/// The variable, statement, vertex or edge around a pointer: a unit so small that one problem in it explains another.
fn unit_of(pointer: &str) -> Option<&str> {
    if pointer.starts_with("/globals/") {
        return prefix(pointer, 2);
    }
    routine_of(pointer)?;
    match pointer.split('/').nth(5) {
        Some("statements") => prefix(pointer, 6),
        _ => prefix(pointer, 4),
    }
}

/// `/routines/3` of `/routines/3/vertices/5`.
fn routine_of(pointer: &str) -> Option<&str> {
    prefix(pointer, 2).filter(|p| p.starts_with("/routines/"))
}

/// The codes of Definition 1, but for those of a vertex alone.
fn is_structural(code: &str) -> bool {
    let alone = [&codes::ARMS, &codes::CASES_OVERLAP, &codes::DEFAULTS];
    ("V101"..="V119").contains(&code) && alone.iter().all(|c| c.code != code)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A caller that removes the problems still gets no valid program.
    #[test]
    fn errors_that_are_taken_away_make_no_program_valid() {
        let text = br#"{"format": "cfgrev/1", "routines": [{
            "name": "f", "parameters": [{"name": "y", "type": "real", "intent": "out"}],
            "vertices": [{"id": 1, "type": "ENTRY"},
                         {"id": 2, "type": "BASICBLOCK", "statements": [["=", "y", true]]},
                         {"id": 3, "type": "EXIT"}],
            "edges": [{"from": 1, "to": 2}, {"from": 2, "to": 3}]}]}"#;
        let mut checked = check(parse(text));
        let problems = std::mem::take(&mut checked.problems);
        assert_eq!(problems.0[0].code, codes::ASSIGN.code, "{problems}");
        assert!(checked.program().is_some());
        assert!(checked.into_valid().is_err());
    }

    #[test]
    fn units_of_pointers() {
        assert_eq!(unit_of("/globals/3/shape/1"), Some("/globals/3"));
        assert_eq!(
            unit_of("/routines/3/locals/4/name"),
            Some("/routines/3/locals/4")
        );
        assert_eq!(
            unit_of("/routines/3/locals/4"),
            Some("/routines/3/locals/4")
        );
        let statement = "/routines/3/vertices/4/statements/5";
        assert_eq!(
            unit_of("/routines/3/vertices/4/statements/5/2/1"),
            Some(statement)
        );
        assert_eq!(
            unit_of("/routines/3/vertices/4/condition/2"),
            Some("/routines/3/vertices/4")
        );
        assert_eq!(unit_of("/routines/3/name"), None);
        assert_eq!(routine_of("/routines/3/name"), Some("/routines/3"));
        assert_eq!(routine_of("/routines/3"), Some("/routines/3"));
        assert_eq!(routine_of("/globals/3"), None);
        assert_eq!(routine_of(""), None);
    }
}
