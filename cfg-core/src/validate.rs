//! Validation: all rules that a program must keep, all problems in one run.

pub mod codes;

use crate::{
    diagnostic::{Diagnostic, Diagnostics},
    entity::RoutineId,
    ir::{Cfg, Control, Program},
    structure::Structure,
};

/// A program that keeps all rules, with the structure of each graph. Only [`validate`] makes one.
#[derive(Clone, Debug)]
pub struct ValidProgram {
    program: Program,
    structures: Vec<Option<Structure>>,
}

impl ValidProgram {
    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The structure of a routine's graph; `None` for external routines and general graphs.
    pub fn structure(&self, routine: RoutineId) -> Option<&Structure> {
        self.structures[routine.index()].as_ref()
    }

    /// Gives the program back.
    pub fn into_program(self) -> Program {
        self.program
    }
}

impl std::ops::Deref for ValidProgram {
    type Target = Program;
    fn deref(&self) -> &Program {
        &self.program
    }
}

/// Checks a program.
///
/// # Errors
/// All problems found; warnings alone do not fail and are dropped here (see [`problems`]).
pub fn validate(program: Program) -> Result<ValidProgram, Diagnostics> {
    let (structures, found) = problems(&program);
    if found.has_errors() {
        return Err(found);
    }
    Ok(ValidProgram {
        program,
        structures,
    })
}

/// All problems of a program, warnings included, and the structure of each graph that has one.
pub fn problems(program: &Program) -> (Vec<Option<Structure>>, Diagnostics) {
    let mut found = Diagnostics::default();
    let mut structures = Vec::with_capacity(program.routines.len());
    for (r, routine) in program.routines.iter().enumerate() {
        let structure = match (&routine.body, routine.control) {
            (Some(cfg), Control::Structured) => Structure::of(cfg).map(Some),
            (Some(cfg), Control::General) => general(cfg),
            (None, _) => Ok(None),
        };
        structures.push(structure.unwrap_or_else(|problems| {
            found
                .0
                .extend(problems.0.into_iter().map(|p| inside(p, r, &routine.name)));
            None
        }));
    }
    (structures, found)
}

/// The rules of a general graph.
fn general(cfg: &Cfg) -> Result<Option<Structure>, Diagnostics> {
    let mut problems = Diagnostics::default();
    crate::structure::check::local_rules(cfg, Control::General, &mut problems);
    if problems.has_errors() {
        return Err(problems);
    }
    Ok(None)
}

/// Makes a place relative to a routine absolute.
fn inside(mut problem: Diagnostic, routine: usize, name: &str) -> Diagnostic {
    let pointer = problem.at.pointer.unwrap_or_default();
    problem.at.pointer = Some(format!("/routines/{routine}{pointer}"));
    problem.at.element = Some(match problem.at.element {
        Some(element) => format!("routine {name}, {element}"),
        None => format!("routine {name}"),
    });
    problem
}
