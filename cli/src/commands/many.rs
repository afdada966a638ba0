//! Evaluations at many points: a line for each, in order.

use crate::Outcome;
use crate::args::{self, EngineName, Limits};
use crate::codes;
use crate::input::{Session, Usage};
use crate::output::{problem, to_stdout};
use crate::points::Points;
use crate::progress::Status;
use cfg_core::diagnostic::{Diagnostic, Diagnostics};
use cfg_drive::batch;
use serde::Serialize;
use std::io;
use std::num::NonZero;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

/// The time after which lines that are complete are handed on.
const PATIENCE: Duration = Duration::from_millis(200);
/// Most points that fail and are reported.
const MOST_REPORTED: u64 = 100;

/// The result at a point.
#[derive(Debug, Default)]
pub(super) struct Line {
    /// JSON, without the end of the line.
    pub(super) text: Vec<u8>,
    pub(super) warnings: Diagnostics,
    /// The first seed for which a derivative is infinite or NaN, and the value is not.
    pub(super) singular: Option<usize>,
}

impl Line {
    /// Adds a value as JSON.
    pub(super) fn push(&mut self, value: &impl Serialize) -> Result<(), Diagnostics> {
        serde_json::to_writer(&mut self.text, value).map_err(|error| {
            let message = format!("a result cannot be written: {error}");
            Diagnostic::error(
                &codes::INTERNAL,
                message,
                "please report it together with the input",
            )
            .into()
        })
    }
}

/// The end of the work.
#[derive(Debug)]
pub(super) struct End {
    pub(super) outcome: Outcome,
    /// The first point with a derivative that is not finite, and the seed.
    pub(super) singular: Option<(usize, usize)>,
}

/// The number of threads for these points, and the options with which a single thread works.
pub(super) fn share(
    points: &Points,
    options: &mut cfg_drive::Options,
    (args, engine, limits): (args::Many, EngineName, &Limits),
) -> Result<usize, Usage> {
    if options.run.restart.is_some() {
        let message = "--restart keeps the progress of a single run, and POINT has many";
        return Err(Usage(message.to_owned()));
    }
    let threads = match (args.threads, engine == EngineName::Cc) {
        (Some(threads), _) => usize::from(threads),
        (None, true) => 1,
        (None, false) => available_parallelism().map_or(1, NonZero::get),
    };
    let threads = threads.min(points.count());
    // All threads together take no more than a single run may.
    if limits.max_tape.is_none() {
        options.run.max_tape /= threads as u64;
    }
    if limits.max_memory.is_none() {
        options.run.max_memory /= threads as u64;
    }
    // The progress of loops is that of a single run, too.
    options.run.report = None;
    Ok(threads)
}

/// The first worker, and copies of it for all other threads.
pub(super) fn for_threads<W>(
    first: W,
    threads: usize,
    copy: impl Fn(&W) -> Result<W, Diagnostics>,
) -> Result<Vec<W>, Diagnostics> {
    let others = (1..threads).map(|_| copy(&first));
    let others: Vec<W> = others.collect::<Result<_, _>>()?;
    Ok(std::iter::once(first).chain(others).collect())
}

/// Works on all points, a worker in each thread, and prints a line for each point.
pub(super) fn print_lines<W: Send>(
    points: &Points,
    workers: &mut [W],
    (unit, keep_going): (&'static str, bool),
    session: &Session,
    work: impl Fn(&mut W, usize) -> Result<Line, Diagnostics> + Sync,
) -> anyhow::Result<End> {
    let done = Arc::new(AtomicU64::new(0));
    let (shown, all) = (Arc::clone(&done), points.count());
    let progress = session.watch("running", move || {
        let done = shown.load(Ordering::Relaxed);
        Status {
            done: Some(done as f64 / all as f64),
            count: Some((done, unit)),
            so_far: String::new(),
        }
    });
    let (mut failed, mut singular) = (0, None);
    let (mut stopped, mut ended) = (None, Ok(()));
    to_stdout(|out| {
        let (mut written, mut handed_on) = (Ok(()), Instant::now());
        let mut write = |text: &[u8]| -> io::Result<()> {
            out.write_all(text)?;
            out.write_all(b"\n")?;
            if handed_on.elapsed() > PATIENCE {
                out.flush()?;
                handed_on = Instant::now();
            }
            Ok(())
        };
        ended = batch(workers, points.count(), work, |k, result| {
            done.fetch_add(1, Ordering::Relaxed);
            let result = result.map_err(|problems| points.name(k, problems));
            let text = match &result {
                Ok(line) => {
                    if !line.warnings.is_empty() {
                        session.report(&points.name(k, line.warnings.clone()));
                    }
                    singular = singular.or(line.singular.map(|seed| (k, seed)));
                    &line.text
                }
                Err(problems) if keep_going => {
                    failed += 1;
                    if failed <= MOST_REPORTED {
                        session.report(problems);
                    }
                    &b"null"[..]
                }
                Err(problems) => {
                    stopped = Some(problems.clone());
                    return ControlFlow::Break(());
                }
            };
            written = write(text);
            match &written {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            }
        });
        written
    })?;
    drop(progress);
    ended.map_err(|error| {
        problem(
            &codes::NO_THREAD,
            format!("the system gives no thread: {error}"),
            "use fewer with --threads, or allow more memory (ulimit -v) or more threads (ulimit -u)",
        )
    })?;
    if let Some(problems) = stopped {
        return Err(problems.into());
    }
    if failed > 0 {
        let remark = format!("{failed} of {all} points failed");
        session.reporter.remark(&remark);
    }
    let outcome = match failed {
        0 => Outcome::Done,
        _ => Outcome::Failed,
    };
    Ok(End { outcome, singular })
}
