//! `cfgrev run`: the program itself.

use super::many::{Line, for_threads, print_lines, share};
use super::results::{Values, Visits, write_object};
use super::{
    AtPoint, PointArgument, in_text, library_options, prepare_at, select_routine, wanted_parts,
};
use crate::Outcome;
use crate::args::Run;
use crate::compiled::engine;
use crate::input::Session;
use crate::output::to_stdout;
use crate::points::Points;
use cfg_core::{entity::RoutineId, flat::Flat, ir::Program};
use cfg_drive::{Options, Point, Primal, Wishes, kink_warnings};
use cfg_exec::RunOptions;
use schemars::JsonSchema;
use serde::Serialize;

/// The output of `cfgrev run`; with many points, a line for each.
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
    let point = (PointArgument::Any(&args.at.point), &args.limits);
    let AtPoint {
        program,
        routine,
        text,
        many,
        same_as,
    } = prepare_at((program, routine), wishes, point, session)?;
    let options = Options {
        same_as,
        trace: args.trace,
        engine,
        native: session.native(args.engine.engine),
        ..library_options(&args.limits, session)
    };
    if let Some(points) = many {
        return at_many(args, &points, (&program, routine), options, session);
    }
    let mut primal = Primal::new(&program, routine, &options)?;
    let point = primal.read_point(&text.bytes).map_err(in_text(&text))?;
    let run = {
        let _progress = session.progress("running");
        primal.run(&point)?
    };
    session.report(&kink_warnings(program.grouped(), &run.events));
    let output = Output::new((program.grouped(), routine), &point, &run, args.trace);
    to_stdout(|out| {
        write_object(out, &output)?;
        writeln!(out)
    })?;
    Ok(Outcome::Done)
}

impl<'r> Output<'r> {
    fn new(
        (program, routine): (&'r Program, RoutineId),
        point: &'r Point,
        run: &'r cfg_drive::Run,
        trace: bool,
    ) -> Self {
        Self {
            routine: &program.routine(routine).name,
            value: Values::new(&run.value, (program, routine), point.sizes()),
            trace: trace.then(|| Visits::from_trace(&run.trace)),
        }
    }
}

fn at_many(
    args: &Run,
    points: &Points,
    (program, routine): (&Flat, RoutineId),
    mut options: Options,
    session: &Session,
) -> anyhow::Result<Outcome> {
    let threads = share(
        points,
        &mut options,
        (args.many, args.engine.engine, &args.limits),
    )?;
    let primal = Primal::new(program, routine, &options)?;
    let primals = for_threads(primal, threads, Primal::for_thread)?.into_iter();
    let mut workers: Vec<(Primal, Option<Point>)> = primals.map(|primal| (primal, None)).collect();
    let targets = points.targets(program.routine(routine));
    let (grouped, trace) = (program.grouped(), args.trace);
    let work = |(primal, kept): &mut (Primal, Option<Point>), k: usize| {
        if !points.change(kept, targets.as_ref(), k) {
            *kept = Some(points.read(k, |text| primal.read_point(text))?);
        }
        let point = kept.get_or_insert_default();
        let run = primal.run(point)?;
        let mut line = Line {
            warnings: kink_warnings(grouped, &run.events),
            ..Line::default()
        };
        line.push(&Output::new((grouped, routine), point, &run, trace))?;
        Ok(line)
    };
    let how = ("runs", args.many.keep_going);
    Ok(print_lines(points, &mut workers, how, session, work)?.outcome)
}
