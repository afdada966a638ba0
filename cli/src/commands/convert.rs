//! `cfgrev convert`: from any input language to one of ours.

use crate::Outcome;
use crate::args::{Convert, Jumps, Target};
use crate::input::{Session, Wanted};
use crate::output::{TextWriter, to_stdout};
use cfg_core::ir::{Program, Routine};
use cfg_core::recover::{self, Checked};

pub(crate) fn run(args: &Convert, session: &Session) -> anyhow::Result<Outcome> {
    let program = session.load(&args.source, &Wanted::default())?;
    let program = match args.jumps {
        None => program.into_program(),
        Some(Jumps::Flat) => {
            let flat = |r| recover::flatten_as(&program, r, Checked::Yes);
            with_routines(&program, program.routines.iter().map(flat).collect())
        }
        Some(Jumps::Dense) => {
            let dense = |r| recover::dense(recover::flatten_as(&program, r, Checked::Yes));
            with_routines(&program, program.routines.iter().map(dense).collect())
        }
        Some(Jumps::Recover) => recover::recover_program(&program),
    };
    let _progress = session.progress("writing");
    to_stdout(|out| match args.to {
        Target::Json => cfg_core::json::write(&program, out),
        Target::Text => TextWriter::run(out, |out| cfg_core::text::program(out, &program)),
        Target::Xaif => cfg_front::xaif::write_xaif(&program, out),
    })?;
    Ok(Outcome::Done)
}

fn with_routines(program: &Program, routines: Vec<Routine>) -> Program {
    Program {
        routines,
        ..program.clone()
    }
}
