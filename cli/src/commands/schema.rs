//! `cfgrev schema`: the JSON Schema of the program format.

use crate::Outcome;
use crate::output::to_stdout;

pub(crate) fn run() -> anyhow::Result<Outcome> {
    to_stdout(|out| {
        serde_json::to_writer_pretty(&mut *out, &cfg_core::json::schema())?;
        writeln!(out)
    })?;
    Ok(Outcome::Done)
}
