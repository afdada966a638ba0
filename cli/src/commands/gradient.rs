//! `cfgrev gradient`: the forward and the reverse sweep.

use super::results::{Values, Visits, write_object};
use super::{Prepared, evaluation, in_text};
use crate::Outcome;
use crate::args::Gradient;
use crate::input::Session;
use crate::output::to_stdout;
use crate::progress::Status;
use cfg_core::{entity::RoutineId, ir::Program};
use cfg_drive::{Adjoint, Point, are_finite, kink_warnings, not_finite};
use cfg_exec::TapeCounts;
use schemars::JsonSchema;
use serde::Serialize;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What `cfgrev gradient` prints: one object, or with a list of seeds an array of such objects.
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
    let Prepared {
        program,
        routine,
        mut options,
        text,
    } = evaluation(
        &args.what,
        &[("SEED", args.seed.as_deref())],
        args.trace,
        session,
    )?;
    options.trace = args.trace;
    // Progress is handed over whether it is shown or not, so that the same steps run.
    options.reversal.restarts = true;
    let mut adjoint = {
        let _progress = session.progress("reversing");
        Adjoint::new(&program, routine, &options)?
    };
    session.report(adjoint.warnings());
    let point = adjoint.read_point(&text.bytes).map_err(in_text(&text))?;
    let (seeds, list) = match &args.seed {
        None => (vec![adjoint.default_seed(&point)?], false),
        Some(seed) => {
            let text = session.read_value("SEED", seed, true)?;
            adjoint
                .read_seeds(&text.bytes, &point)
                .map_err(in_text(&text))?
        }
    };
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
    (program, routine): (&Program, RoutineId),
    point: &Point,
    gradient: &cfg_drive::Gradient,
    trace: bool,
) -> io::Result<()> {
    let values = |named| Values::new(named, (program, routine), point.sizes());
    let one = One {
        routine: &program.routine(routine).name,
        value: values(&gradient.value),
        gradient: values(&gradient.gradient),
        tape: gradient.tape.as_ref().map(Tape::from),
        trace: trace.then(|| Visits::from_trace(&gradient.trace)),
    };
    write_object(out, &one)
}
