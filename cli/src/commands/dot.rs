//! `cfgrev dot`: also for programs that break rules, because a picture helps to find out why.

use crate::Outcome;
use crate::args::Dot;
use crate::commands::{select_routine, wanted_parts};
use crate::input::Session;
use crate::output::to_stdout;
use cfg_back::dot::write_cfg;
use cfg_languages::TextWriter;

pub(crate) fn run(args: &Dot, session: &Session) -> anyhow::Result<Outcome> {
    let examined = session.examine(&args.source, &wanted_parts(&args.select, None))?;
    let Some(program) = examined.program() else {
        return Err(examined.problems.into());
    };
    session.report(&examined.problems);
    let routine = select_routine(program, &args.select, session)?;
    let options = args.picture.options();
    let _progress = session.progress("drawing");
    to_stdout(|out| TextWriter::run(out, |out| write_cfg(out, program, routine, &options)))?;
    Ok(if examined.problems.has_errors() {
        Outcome::Failed
    } else {
        Outcome::Done
    })
}
