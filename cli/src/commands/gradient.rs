//! `cfgrev gradient`: the forward and the reverse sweep.

use super::many::{Line, for_threads, print_lines, share};
use super::results::{Values, Visits, write_object};
use super::{Prepared, evaluation, in_text};
use crate::Outcome;
use crate::args::Gradient;
use crate::input::Session;
use crate::output::to_stdout;
use crate::points::Points;
use crate::progress::Status;
use crate::report::Text;
use cfg_core::{diagnostic::Diagnostics, entity::RoutineId, flat::Flat, ir::Program};
use cfg_drive::{Adjoint, Options, Point, Resized, are_finite, kink_warnings, not_finite};
use cfg_exec::{TapeCounts, Value};
use schemars::JsonSchema;
use serde::Serialize;
use std::io::{self, Write};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The output of `cfgrev gradient`: one object, or with a list of seeds an array of such objects. With many points it
/// is a line for each.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "the output is written one object at a time")]
pub(crate) enum Output<'r> {
    /// For one seed.
    One(One<'r>),
    /// For each seed of a list.
    Several(Vec<One<'r>>),
}

/// The gradient for one seed.
#[derive(JsonSchema, Serialize)]
pub(crate) struct One<'r> {
    /// The routine.
    routine: &'r str,
    /// The dependents.
    value: Values<'r>,
    /// The adjoints of the independents.
    gradient: Values<'r>,
    /// What the tape was used for; not with `--engine cc`.
    #[serde(skip_serializing_if = "Option::is_none")]
    tape: Option<Tape>,
    /// The vertices visited, with `--trace`.
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<Visits<'r>>,
}

/// The uses of the tape in one gradient.
#[derive(JsonSchema, Serialize)]
pub(super) struct Tape {
    /// Bits of markers and trip counts.
    control_bits: u64,
    /// Bytes of integers and reals.
    value_bytes: u64,
    /// Largest size of all stacks at one time.
    pub(super) peak_bytes: u64,
    /// Most states of loops with checkpoints, in memory and on disk, at one time; nothing if there were none.
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) snapshots: u64,
    /// Runs of parts with checkpoints that were not recorded; nothing if there were none.
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) steps_again: u64,
    /// Largest size of all stacks in files at one time; nothing if there were none.
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) disk_bytes: u64,
    /// Bytes that were written into files, with checksums.
    #[serde(skip_serializing_if = "is_zero")]
    disk_written: u64,
    /// Bytes that were read from files, with checksums.
    #[serde(skip_serializing_if = "is_zero")]
    disk_read: u64,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands a reference on"
)]
fn is_zero(n: &u64) -> bool {
    *n == 0
}

impl From<&TapeCounts> for Tape {
    fn from(counts: &TapeCounts) -> Self {
        Self {
            control_bits: counts.control_bits,
            value_bytes: counts.value_bytes,
            peak_bytes: counts.peak_bytes,
            snapshots: counts.snapshots,
            steps_again: counts.steps_again,
            disk_bytes: counts.disk_peak,
            disk_written: counts.disk_written,
            disk_read: counts.disk_read,
        }
    }
}

pub(crate) fn run(args: &Gradient, session: &Session) -> anyhow::Result<Outcome> {
    let mut prepared = evaluation(
        &args.what,
        &[("SEED", args.seed.as_deref())],
        (args.trace, true),
        session,
    )?;
    prepared.options.trace = args.trace;
    // Progress is handed over whether it is shown or not, so that the same steps run.
    prepared.options.reversal.restarts = true;
    match prepared.many.take() {
        None => at_one(args, prepared, session),
        Some(points) => at_many(args, &points, prepared, session),
    }
}

/// The adjoint of what was prepared, with its warnings reported.
fn reversed(
    (program, routine): (&Flat, RoutineId),
    options: &Options,
    session: &Session,
) -> anyhow::Result<Adjoint> {
    let adjoint = {
        let _progress = session.progress("reversing");
        Adjoint::new(program, routine, options)?
    };
    session.report(adjoint.warnings());
    Ok(adjoint)
}

fn at_one(args: &Gradient, prepared: Prepared, session: &Session) -> anyhow::Result<Outcome> {
    let Prepared {
        program,
        routine,
        options,
        text,
        ..
    } = prepared;
    let mut adjoint = reversed((&program, routine), &options, session)?;
    let point = adjoint.read_point(&text.bytes).map_err(in_text(&text))?;
    let seed = read_seed(args, session)?;
    let seed = seed.as_ref().map(|text| (&*text.name, &*text.bytes));
    let (seeds, list) = seeds_at(&adjoint, &point, seed)?;
    let mut gradients = Vec::with_capacity(seeds.len());
    {
        let done = Arc::new(AtomicU64::new(0));
        let (shown, all) = (Arc::clone(&done), seeds.len());
        let loops = session.loop_progress();
        let _progress = session.watch("running", move || {
            let done = shown.load(Ordering::Relaxed);
            if all > 1 {
                return Status {
                    done: Some(done as f64 / all as f64),
                    count: Some((done, "gradients")),
                    so_far: String::new(),
                };
            }
            // The time of a single run can be predicted by a loop with a checkpoint alone.
            loops().map_or_else(Status::default, Status::of_loop)
        });
        for seed in &seeds {
            gradients.push(adjoint.gradient(&point, seed)?);
            done.fetch_add(1, Ordering::Relaxed);
        }
    }
    for gradient in &gradients {
        session.report(&kink_warnings(program.grouped(), &gradient.events));
    }
    let bad = (gradients.iter().zip(&seeds))
        .find(|(g, _)| are_finite(&g.value) && !are_finite(&g.gradient));
    if let Some((_, seed)) = bad {
        let found = not_finite((&program, routine), &options, &point, Some(seed));
        session.report(&found.into());
    }
    to_stdout(|out| {
        if list {
            out.write_all(b"[")?;
        }
        for (i, gradient) in gradients.iter().enumerate() {
            if i > 0 {
                out.write_all(b",\n")?;
            }
            write_gradient(
                out,
                (program.grouped(), routine),
                &point,
                gradient,
                args.trace,
            )?;
        }
        out.write_all(if list { b"]\n" } else { b"\n" })
    })?;
    Ok(Outcome::Done)
}

fn write_gradient(
    out: &mut dyn Write,
    program: (&Program, RoutineId),
    point: &Point,
    gradient: &cfg_drive::Gradient,
    trace: bool,
) -> io::Result<()> {
    write_object(out, &One::new(program, point, gradient, trace))
}

impl<'r> One<'r> {
    fn new(
        (program, routine): (&'r Program, RoutineId),
        point: &'r Point,
        gradient: &'r cfg_drive::Gradient,
        trace: bool,
    ) -> Self {
        let values = |named| Values::new(named, (program, routine), point.sizes());
        Self {
            routine: &program.routine(routine).name,
            value: values(&gradient.value),
            gradient: values(&gradient.gradient),
            tape: gradient.tape.as_ref().map(Tape::from),
            trace: trace.then(|| Visits::from_trace(&gradient.trace)),
        }
    }
}

/// A SEED for all points: its name in messages, and its text.
type Seed<'s> = Option<(&'s str, &'s [u8])>;

/// The text of SEED, if it is given.
fn read_seed(args: &Gradient, session: &Session) -> anyhow::Result<Option<Rc<Text>>> {
    let seed = args.seed.as_ref();
    let read = seed.map(|seed| session.read_value("SEED", seed, true));
    read.transpose()
}

/// The seeds at a point, and whether SEED is a list.
fn seeds_at(
    adjoint: &Adjoint,
    point: &Point,
    seed: Seed<'_>,
) -> Result<(Vec<Vec<Value>>, bool), Diagnostics> {
    match seed {
        None => Ok((vec![adjoint.default_seed(point)?], false)),
        Some((name, text)) => {
            (adjoint.read_seeds(text, point)).map_err(|problems| cfg_drive::in_text(name, problems))
        }
    }
}

/// The line of a point: the gradient for each of its seeds. The last gradient replaces `gradient`.
fn line_at(
    program: (&Program, RoutineId),
    (adjoint, gradient): (&mut Adjoint, &mut cfg_drive::Gradient),
    point: &Point,
    (seeds, is_list): (&[Vec<Value>], bool),
    trace: bool,
) -> Result<Line, Diagnostics> {
    let mut line = Line::default();
    if is_list {
        line.text.push(b'[');
    }
    for (i, seed) in seeds.iter().enumerate() {
        adjoint.gradient_into(point, seed, gradient)?;
        if i > 0 {
            line.text.push(b',');
        }
        line.push(&One::new(program, point, gradient, trace))?;
        let warnings = kink_warnings(program.0, &gradient.events);
        line.warnings.0.extend(warnings.0);
        if are_finite(&gradient.value) && !are_finite(&gradient.gradient) {
            line.singular.get_or_insert(i);
        }
    }
    if is_list {
        line.text.push(b']');
    }
    Ok(line)
}

/// A thread's adjoint, and what it keeps from point to point.
struct Worker {
    adjoint: Adjoint,
    /// The last point, unless there was a problem.
    point: Option<Point>,
    /// The seeds there, and whether they are a list.
    seeds: (Vec<Vec<Value>>, bool),
    gradient: cfg_drive::Gradient,
}

impl Worker {
    fn new(adjoint: Adjoint) -> Self {
        Self {
            adjoint,
            point: None,
            seeds: Default::default(),
            gradient: cfg_drive::Gradient::default(),
        }
    }

    /// Reads a point, and the seeds there.
    fn read(&mut self, k: usize, points: &Points, seed: Seed<'_>) -> Result<Point, Diagnostics> {
        let point = points.read(k, |text| self.adjoint.read_point(text))?;
        self.seeds = seeds_at(&self.adjoint, &point, seed)?;
        Ok(point)
    }
}

fn at_many(
    args: &Gradient,
    points: &Points,
    prepared: Prepared,
    session: &Session,
) -> anyhow::Result<Outcome> {
    let Prepared {
        program,
        routine,
        mut options,
        ..
    } = prepared;
    let given = (args.many, args.what.engine.engine, &args.what.limits);
    let threads = share(points, &mut options, given)?;
    let seed = read_seed(args, session)?;
    let seed = seed.as_ref().map(|text| (&*text.name, &*text.bytes));
    if let Some(resized) = Resized::new(&program, routine, &options)? {
        let threads = (threads, resized);
        return with_extents_of_each(args, (points, seed), threads, (routine, &options), session);
    }
    let adjoint = reversed((&program, routine), &options, session)?;
    let adjoints = for_threads(adjoint, threads, Adjoint::for_thread)?.into_iter();
    let mut workers: Vec<Worker> = adjoints.map(Worker::new).collect();
    let targets = points.targets(program.routine(routine));
    let (grouped, trace) = (program.grouped(), args.trace);
    let work = |worker: &mut Worker, k: usize| {
        let mut kept = worker.point.take();
        let point = match points.change(&mut kept, targets.as_ref(), k) {
            // The shapes are those of the point before, and so the seeds.
            true => kept.unwrap_or_default(),
            false => worker.read(k, points, seed)?,
        };
        let (seeds, is_list) = &worker.seeds;
        let own = (&mut worker.adjoint, &mut worker.gradient);
        let line = line_at((grouped, routine), own, &point, (seeds, *is_list), trace)?;
        worker.point = Some(point);
        Ok(line)
    };
    let how = ("gradients", args.many.keep_going);
    let end = print_lines(points, &mut workers, how, session, work)?;
    if let (Some((k, i)), Some(worker)) = (end.singular, workers.first_mut()) {
        let point = worker.read(k, points, seed)?;
        let seed = worker.seeds.0.get(i).map(Vec::as_slice);
        let found = not_finite((&program, routine), &options, &point, seed);
        session.report(&points.name(k, found.into()));
    }
    Ok(end.outcome)
}

/// Gradients of a function whose result has the extents of each point.
fn with_extents_of_each(
    args: &Gradient,
    (points, seed): (&Points, Seed<'_>),
    (threads, resized): (usize, Resized),
    (routine, options): (RoutineId, &Options),
    session: &Session,
) -> anyhow::Result<Outcome> {
    let mut workers = for_threads(resized, threads, Resized::for_thread)?;
    let work = |resized: &mut Resized, k: usize| {
        let (program, adjoint) =
            resized.at(|primal| points.read(k, |text| primal.read_point(text)))?;
        let point = points.read(k, |text| adjoint.read_point(text))?;
        let (seeds, is_list) = seeds_at(adjoint, &point, seed)?;
        let mut gradient = cfg_drive::Gradient::default();
        let warnings = adjoint.warnings().clone();
        let own = (adjoint, &mut gradient);
        let program = (&**program.grouped(), routine);
        let mut line = line_at(program, own, &point, (&seeds, is_list), args.trace)?;
        line.warnings.0.splice(..0, warnings.0);
        Ok(line)
    };
    let how = ("gradients", args.many.keep_going);
    let end = print_lines(points, &mut workers, how, session, work)?;
    if let (Some((k, i)), Some(resized)) = (end.singular, workers.first_mut()) {
        let (program, adjoint) =
            resized.at(|primal| points.read(k, |text| primal.read_point(text)))?;
        let point = points.read(k, |text| adjoint.read_point(text))?;
        let (seeds, _) = seeds_at(adjoint, &point, seed)?;
        let seed = seeds.get(i).map(Vec::as_slice);
        let found = not_finite((program, routine), options, &point, seed);
        session.report(&points.name(k, found.into()));
    }
    Ok(end.outcome)
}
