//! Writing programs.
use crate::ir::Program;
use std::io;
/// Writes.
///
/// # Errors
/// io.
pub fn write(_program: &Program, _out: impl io::Write) -> io::Result<()> {
    Ok(())
}
