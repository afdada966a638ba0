//! Routines that hand over the progress of a loop: calls of the functions that keep it in a file.

use super::{
    Emitted,
    operators::{Code, Piece, Prefix, literal_sized},
    writer::Writer,
};
use cfg_core::{
    ir::{IntType, Intent, NameRole, Routine, ScalarType},
    random::fingerprint,
};

/// The function that stands for a routine by its role.
fn function_of(routine: &Routine) -> Option<&'static str> {
    let role = routine.restart_role()?;
    let functions = [
        (NameRole::RestartBegin, "cfgrev_restart_begin"),
        (NameRole::RestartLoad, "cfgrev_restart_load"),
        (NameRole::RestartDue, "cfgrev_restart_due"),
        (NameRole::RestartEnd, "cfgrev_restart_end"),
        (NameRole::RestartSave, "cfgrev_restart_save"),
    ];
    let found = functions.into_iter().find(|(other, _)| other == role);
    found.map(|(_, function)| function)
}

impl Writer<'_> {
    /// Writes the call that stands for the body of the routine; false if none does.
    pub(super) fn emit_restart(&mut self) -> Emitted<bool> {
        let Some(function) = function_of(self.routine) else {
            return Ok(false);
        };
        self.pieces.require(Piece::Restart);
        let mut arguments = Vec::new();
        for p in self.routine.parameter_ids() {
            let variable = self.routine.variable(p);
            let is_read = variable.intent() == Some(Intent::In);
            arguments.push(match variable.ty.is_tape() {
                true => self.tape_pointer(p)?,
                false => {
                    self.note_read(p);
                    let place = self.scalar_place(p)?;
                    match is_read {
                        true => place,
                        false => place.prefix(Prefix::Address),
                    }
                }
            });
        }
        if function == "cfgrev_restart_load" {
            let key = fingerprint(&self.file.program.to_string());
            arguments.push(literal_sized(IntType::Uint64, key as i64));
        }
        let status = self.status.clone();
        self.has_status = true;
        self.set(
            &status,
            Code::call(function, arguments, ScalarType::Integer),
        );
        self.fail_if(status.clone(), status);
        Ok(true)
    }
}
