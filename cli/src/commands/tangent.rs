//! `cfgrev tangent`: the tangent program.

use super::prepare;
use crate::Outcome;
use crate::args::Tangent;
use crate::input::Session;
use crate::output::to_stdout;

pub(crate) fn run(args: &Tangent, session: &Session) -> anyhow::Result<Outcome> {
    let (program, routine) = prepare(&args.source, &args.select, &args.variables, session)?;
    let mut tangent = {
        let _progress = session.progress("differentiating");
        cfg_reverse::tangent(&program, routine)?
    };
    tangent.program.main.get_or_insert(routine);
    let _progress = session.progress("writing");
    to_stdout(|out| cfg_core::json::write(&tangent.program, out))?;
    Ok(Outcome::Done)
}
