//! Routines that hand over the progress of a loop: calls of the functions that keep it in a file.

use super::{
    Emitted,
    operators::{Code, Piece, Prefix, literal_sized},
    writer::Writer,
};
use cfg_core::ir::{IntType, NameRole, Routine, ScalarType};

/// The function that stands for a routine by its role.
fn function_of(routine: &Routine) -> Option<&'static str> {
    let origin = routine.origin.as_ref()?;
    let functions = [
        (NameRole::RestartBegin, "cfgrev_restart_begin"),
        (NameRole::RestartLoad, "cfgrev_restart_load"),
        (NameRole::RestartDue, "cfgrev_restart_due"),
        (NameRole::RestartEnd, "cfgrev_restart_end"),
        (NameRole::RestartSave, "cfgrev_restart_save"),
    ];
    let found = functions.into_iter().find(|(role, _)| *role == origin.role);
    found.map(|(_, function)| function)
}

impl Writer<'_> {
    /// Writes the call that stands for the body of the routine; false if none does.
    pub(super) fn emit_restart(&mut self) -> Emitted<bool> {
        let Some(function) = function_of(self.routine) else {
            return Ok(false);
        };
        self.pieces.require(Piece::Restart);
        for header in ["errno.h", "stdio.h", "string.h", "time.h"] {
            self.pieces.include(header);
        }
        let mut arguments = Vec::new();
        for p in self.routine.parameter_ids() {
            arguments.push(match self.routine.variable(p).ty.is_tape() {
                true => self.tape_pointer(p)?,
                false => {
                    self.note_read(p);
                    self.scalar_place(p)?.prefix(Prefix::Address)
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

/// A sum by which another program is told (FNV-1a, 64 bits).
fn fingerprint(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |sum, byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}
