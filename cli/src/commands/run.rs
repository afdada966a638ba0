//! `cfgrev run`: the program itself.

use super::results::{Object, Values, Visits};
use super::{in_text, load, options};
use crate::Outcome;
use crate::args::Run;
use crate::input::Session;
use crate::output::to_stdout;
use cfg_drive::{Options, Primal, kinks};

pub(crate) fn run(args: &Run, session: &Session) -> anyhow::Result<Outcome> {
    session.claim_all(&[
        ("FILE", Some(&args.source.file)),
        ("POINT", Some(&args.at.point)),
    ])?;
    let (program, routine) = load(&args.source, &args.select, session)?;
    let options = Options {
        trace: args.trace,
        ..options(&args.limits, session)
    };
    let mut primal = Primal::new(&program, routine, &options)?;
    let text = session.read_value("POINT", &args.at.point, false)?;
    let point = primal.point(&text.bytes).map_err(in_text(&text))?;
    let run = {
        let _progress = session.progress("running");
        primal.run(&point)?
    };
    session.report(&kinks(&run.events));
    to_stdout(|out| {
        let mut object = Object::new(out);
        object.member("routine", &program.routine(routine).name)?;
        object.member("value", &Values(&run.value))?;
        if args.trace {
            object.member("trace", &Visits(&run.trace))?;
        }
        object.end()?;
        writeln!(out)
    })?;
    Ok(Outcome::Done)
}
