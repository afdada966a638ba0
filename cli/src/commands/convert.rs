//! `cfgrev convert`: from any input language to one of ours.

use crate::Outcome;
use crate::args::{Convert, Target};
use crate::input::{Session, Wanted};
use crate::output::{TextWriter, to_stdout};

pub(crate) fn run(args: &Convert, session: &Session) -> anyhow::Result<Outcome> {
    let program = session.load(&args.source, &Wanted::default())?;
    let _progress = session.progress("writing");
    to_stdout(|out| match args.to {
        Target::Json => cfg_core::json::write(&program, out),
        Target::Text => TextWriter::run(out, |out| cfg_core::text::program(out, &program)),
        Target::Xaif => cfg_front::xaif::write_xaif(&program, out),
    })?;
    Ok(Outcome::Done)
}
