//! Functions of other files: external routines without a value are declared `extern` and called by their own names.

use super::{
    Emitted, Failed,
    adapter::{Taken, list},
    codes,
    names::{Names, identifier},
    operators::{Code, Prefix},
    writer::Writer,
};
use cfg_core::{
    diagnostic::{Diagnostic, Diagnostics},
    entity::RoutineId,
    ir::{Place, Program, Routine, ScalarType, StmtKind},
};
use std::collections::BTreeSet;

/// True of a routine that only another file has.
pub(super) fn is_outside(routine: &Routine) -> bool {
    routine.body.is_none() && (routine.external.as_ref()).is_none_or(|e| e.value.is_none())
}

/// Keeps the names of functions of other files from being given to anything else.
///
/// # Errors
/// A name that no function can have.
pub(super) fn reserve(names: &mut Names, program: &Program) -> Result<(), Diagnostics> {
    let mut problems = Vec::new();
    for routine in program.routines.iter().filter(|r| is_outside(r)) {
        let name = &routine.name;
        if identifier(name) != *name || names.has(name) {
            let message = format!(
                "the external routine `{name}` has the name of no function that another file can define"
            );
            problems.push(Diagnostic::error(
                &codes::CALLBACK,
                message,
                "give it a name that is an identifier of C, and that no header of C has",
            ));
        }
        names.reserve(name);
    }
    problems
        .is_empty()
        .then_some(())
        .ok_or(Diagnostics(problems))
}

/// Refuses what is not there when the program is run.
///
/// # Errors
/// A routine that only another file has.
pub(super) fn refuse(program: &Program) -> Result<(), Diagnostics> {
    let statements = program.routines.iter().flat_map(Routine::statements);
    let called = statements.filter_map(|s| {
        if let StmtKind::Call { callee, .. } = &s.kind {
            return Some(*callee);
        }
        None
    });
    let called: BTreeSet<RoutineId> = called.collect();
    let outside = called.into_iter().map(|r| program.routine(r));
    let outside = outside.filter(|r| is_outside(r)).map(|routine| {
        Diagnostic::error(
            &codes::CALLBACK,
            format!(
                "`{}` has no body and no value, so that it cannot be run here",
                routine.name
            ),
            "give its value, or emit C and compile that with the file that has it",
        )
    });
    let problems: Vec<Diagnostic> = outside.collect();
    problems
        .is_empty()
        .then_some(())
        .ok_or(Diagnostics(problems))
}

impl Writer<'_> {
    /// Calls the function of another file that the routine at hand is; the expression of its value.
    pub(super) fn call_external(&mut self) -> Emitted<Option<Code>> {
        let routine = self.routine;
        let (mut types, mut arguments) = (Vec::new(), Vec::new());
        for p in routine.parameter_ids() {
            let formal = Taken::from_parameter(routine, p);
            self.note_read(p);
            let ty = self.file.c_type(formal.variable.ty);
            // Numbers that are only read are values there, also where they are bound by reference here.
            if formal.variable.rank() == 0 {
                let place = self.scalar_place(p)?;
                let (ty, argument) = match formal.writes {
                    true => (format!("{ty} *"), place.prefix(Prefix::Address)),
                    false => (ty.to_owned(), place),
                };
                types.push(ty);
                arguments.push(argument);
                continue;
            }
            let constant = if formal.writes { "" } else { "const " };
            types.push(format!("{constant}{ty} *"));
            if self.array_kind(p)?.is_strided() {
                return Err(self.refuse_gaps(routine));
            }
            arguments.push(self.emit_view(&Place::whole(p))?.first());
        }
        let name = &routine.name;
        let ty = routine.result.map(|v| routine.variable(v).ty);
        let result = ty.map_or("void", |ty| self.file.c_type(ty));
        let types = list(types);
        (self.lines).push_line(format_args!("extern {result} {name}({types});"));
        let call = Code::call(name, arguments, ty.unwrap_or(ScalarType::Tape));
        if ty.is_some() {
            return Ok(Some(call));
        }
        self.add(call);
        Ok(None)
    }

    fn refuse_gaps(&self, routine: &Routine) -> Failed {
        let message = format!(
            "an array with gaps between its elements is passed to `{}`, which another file defines",
            routine.name
        );
        let help = "pass a copy";
        self.failure(&codes::CALLBACK, message, help)
    }
}
