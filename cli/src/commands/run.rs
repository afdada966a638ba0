//! `cfgrev run`: the program itself.

use super::results::{Values, Visits, write_object};
use super::{AtPoint, in_text, library_options, prepare_at, select_routine, wanted_parts};
use crate::Outcome;
use crate::args::Run;
use crate::compiled::engine;
use crate::input::Session;
use crate::output::to_stdout;
use cfg_drive::{Options, Primal, Wishes, kink_warnings};
use cfg_exec::RunOptions;
use schemars::JsonSchema;
use serde::Serialize;

/// What `cfgrev run` prints.
#[derive(JsonSchema, Serialize)]
pub(crate) struct Output<'r> {
    /// The routine.
    routine: &'r str,
    /// All `out` and `inout` parameters, and a function's result as `return`.
    value: Values<'r>,
    /// The vertices visited, with `--trace`.
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<Visits<'r>>,
}

pub(crate) fn run(args: &Run, session: &Session) -> anyhow::Result<Outcome> {
    session.claim_all(&[
        ("FILE", args.source.standard_input()),
        ("POINT", Some(&args.at.point)),
    ])?;
    let engine = engine(
        &args.engine,
        (&args.limits, &RunOptions::default()),
        args.trace,
    )?;
    let program = session.load(&args.source, &wanted_parts(&args.select, None))?;
    let routine = select_routine(&program, &args.select, session)?;
    let wishes = Wishes {
        cells: args.heap.cells(),
        ..Wishes::default()
    };
    let point = (&*args.at.point, &args.limits);
    let AtPoint {
        program,
        routine,
        text,
        same_as,
    } = prepare_at((program, routine), wishes, point, session)?;
    let options = Options {
        same_as,
        trace: args.trace,
        engine,
        native: session.native(args.engine.engine),
        ..library_options(&args.limits, session)
    };
    let mut primal = Primal::new(&program, routine, &options)?;
    let point = primal.read_point(&text.bytes).map_err(in_text(&text))?;
    let run = {
        let _progress = session.progress("running");
        primal.run(&point)?
    };
    session.report(&kink_warnings(program.grouped(), &run.events));
    let output = Output {
        routine: &program.routine(routine).name,
        value: Values::new(&run.value, (program.grouped(), routine), point.sizes()),
        trace: args.trace.then(|| Visits::from_trace(&run.trace)),
    };
    to_stdout(|out| {
        write_object(out, &output)?;
        writeln!(out)
    })?;
    Ok(Outcome::Done)
}
