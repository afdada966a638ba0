//! `cfgrev bench`: the time of a program and of its gradient.

use super::gradient::Tape;
use super::results::write_object;
use super::{AtPoint, PointArgument, in_text, library_options, prepare_derivatives_at, reverse};
use crate::Outcome;
use crate::args::{Bench, EngineName, Form};
use crate::compiled::{by_compiler, flags_of};
use crate::input::Session;
use crate::output::to_stdout;
use cfg_core::{diagnostic::Diagnostics, entity::RoutineId, flat::Flat};
use cfg_drive::{Adjoint, Options, Point, Primal, Real};
use cfg_exec::Value;
use schemars::JsonSchema;
use serde::Serialize;
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// The flags of the compiler behind -std=c99.
const FLAGS: &str = "-O2";

/// What `cfgrev bench --format json` prints. Times are seconds of one call.
#[derive(JsonSchema, Serialize)]
pub(crate) struct Output<'r> {
    /// The routine.
    routine: &'r str,
    /// Samples of each.
    samples: u32,
    /// The executor, machine code, and compiled C where there is a compiler; with --engine only one of them.
    engines: Vec<Timed>,
}

/// An engine.
#[derive(JsonSchema, Serialize)]
struct Timed {
    /// The engine.
    #[schemars(extend("enum" = ["executor", "jit", "auto", "cc"]))]
    engine: &'static str,
    /// The flags of the C compiler.
    #[serde(skip_serializing_if = "Option::is_none")]
    flags: Option<String>,
    /// The program itself.
    primal: Times,
    /// Its gradient: forward and reverse sweep.
    gradient: Times,
    /// The least time of the gradient, in parts of that of the program.
    ratio: Real,
    /// The uses of the tape in one gradient.
    #[serde(skip_serializing_if = "Option::is_none")]
    tape: Option<Tape>,
}

/// The times of samples.
#[derive(JsonSchema, Serialize)]
struct Times {
    /// The least.
    minimum: Real,
    /// A quarter of the samples took less.
    lower_quartile: Real,
    /// Half of the samples took less.
    median: Real,
    /// Three quarters of the samples took less.
    upper_quartile: Real,
    /// Calls in a sample.
    calls: u64,
}

pub(crate) fn run(args: &Bench, session: &Session) -> anyhow::Result<Outcome> {
    session.claim_all(&[
        ("FILE", args.function.source.standard_input()),
        ("POINT", Some(&args.at.point)),
    ])?;
    let point = (PointArgument::One(&args.at.point), &args.limits);
    let AtPoint {
        program,
        routine,
        text,
        same_as,
        ..
    } = prepare_derivatives_at(&args.function, &[], point, session)?;
    let plain = Options {
        same_as,
        reversal: reverse::options(args.reversal),
        native: None,
        ..library_options(&args.limits, session)
    };
    let by_compiler = Options {
        engine: Some(by_compiler(&args.compiling, FLAGS, &args.limits)),
        ..plain.clone()
    };
    let _progress = session.progress("timing");
    let mut subjects = Vec::new();
    let wanted = |name| args.engine.is_none_or(|only| only == name);
    if wanted(EngineName::Executor) {
        subjects.push(Subject::new("executor", &program, routine, &plain)?);
    }
    for (name, engine) in by_machine_code() {
        if args.engine == Some(engine) || args.engine.is_none() && name == "jit" {
            let options = Options {
                native: session.native(engine),
                ..plain.clone()
            };
            subjects.push(Subject::new(name, &program, routine, &options)?);
        }
    }
    if wanted(EngineName::Cc) {
        match Subject::new("cc", &program, routine, &by_compiler) {
            Ok(subject) => subjects.push(subject),
            Err(problems) if !subjects.is_empty() && problems.iter().all(|d| has_no_c(d.code)) => {
                let warnings = problems.0.into_iter().map(|d| d.warning());
                session.report(&Diagnostics(warnings.collect()));
            }
            Err(problems) => return Err(problems.into()),
        }
    }
    let point = subjects[0]
        .primal
        .read_point(&text.bytes)
        .map_err(in_text(&text))?;
    let seed = subjects[0].adjoint.seed_of_ones(&point)?;
    let engines = time(&mut subjects, &point, &seed, args)?;
    let output = Output {
        routine: &program.routine(routine).name,
        samples: args.samples,
        engines,
    };
    to_stdout(|out| match args.format {
        Form::Json => {
            write_object(out, &output)?;
            writeln!(out)
        }
        Form::Text => table(out, &output),
    })?;
    Ok(Outcome::Done)
}

/// The engines that make machine code, with their names.
fn by_machine_code() -> Vec<(&'static str, EngineName)> {
    vec![
        #[cfg(feature = "jit")]
        ("jit", EngineName::Jit),
        ("auto", EngineName::Auto),
    ]
}

/// A sample, with the work between its calls, takes at most this many times the least time of a sample.
const BETWEEN: u32 = 10;

/// True for errors after which the executor is still timed: there is no compiler, or the program has no C.
fn has_no_c(code: &str) -> bool {
    code == "B901"
        || cfg_back::c::codes::CODES
            .iter()
            .any(|info| info.code == code)
}

/// A program that is timed by an engine.
struct Subject {
    engine: &'static str,
    primal: Primal,
    adjoint: Adjoint,
    /// Calls of either in a sample.
    calls: [u64; 2],
    /// Seconds of one call of either.
    samples: [Vec<f64>; 2],
}

impl Subject {
    fn new(
        engine: &'static str,
        program: &Flat,
        routine: RoutineId,
        options: &Options,
    ) -> Result<Self, Diagnostics> {
        Ok(Self {
            engine,
            primal: Primal::new(program, routine, options)?,
            adjoint: Adjoint::new(program, routine, options)?,
            calls: [1; 2],
            samples: [Vec::new(), Vec::new()],
        })
    }

    /// The time of the calls of a sample.
    fn sample(
        &mut self,
        which: usize,
        point: &Point,
        seed: &[Value],
    ) -> Result<Duration, Diagnostics> {
        match which {
            0 => self.primal.time(point, self.calls[0]),
            _ => self.adjoint.time(point, seed, self.calls[1]),
        }
    }

    /// Finds a number of calls that takes long enough. Between calls, arguments and globals get their values again;
    /// if that takes far longer than the calls, the number is smaller.
    fn calibrate(
        &mut self,
        point: &Point,
        seed: &[Value],
        least: Duration,
    ) -> Result<(), Diagnostics> {
        for which in 0..2 {
            // A single slow sample may mean that the machine was busy.
            let mut slow = 0;
            loop {
                let begun = Instant::now();
                let taken = self.sample(which, point, seed)?;
                let all = begun.elapsed();
                if taken >= least {
                    break;
                }
                if all >= BETWEEN * least {
                    slow += 1;
                    if slow == 4 {
                        break;
                    }
                    continue;
                }
                // The time of few calls is inaccurate, so the number of calls grows by a limited factor.
                let wanted = least.as_secs_f64() / taken.as_secs_f64().max(1e-9);
                let most =
                    f64::from(2 * BETWEEN) * least.as_secs_f64() / all.as_secs_f64().max(1e-9);
                let wanted = wanted.min(most);
                let factor = (1.2 * wanted).clamp(2.0, 100.0);
                self.calls[which] = (self.calls[which] as f64 * factor) as u64;
            }
        }
        Ok(())
    }
}

/// Takes the samples, one of each in turn.
fn time(
    subjects: &mut [Subject],
    point: &Point,
    seed: &[Value],
    args: &Bench,
) -> Result<Vec<Timed>, Diagnostics> {
    let least = Duration::from_millis(args.sample_time.into());
    for subject in &mut *subjects {
        subject.calibrate(point, seed, least)?;
    }
    for _ in 0..args.samples {
        for subject in &mut *subjects {
            for which in 0..2 {
                let taken = subject.sample(which, point, seed)?.as_secs_f64();
                let each = taken / subject.calls[which] as f64;
                subject.samples[which].push(each);
            }
        }
    }
    let mut found = Vec::new();
    for subject in subjects {
        let engine = subject.engine;
        let tape = subject.adjoint.tape(point, seed)?;
        let [primal, gradient] = [0, 1].map(|which| {
            let samples = std::mem::take(&mut subject.samples[which]);
            Times::from_samples(samples, subject.calls[which])
        });
        found.push(Timed {
            engine,
            flags: (engine == "cc").then(|| flags_of(&args.compiling, FLAGS)),
            ratio: Real(gradient.minimum.0 / primal.minimum.0),
            primal,
            gradient,
            tape: tape.as_ref().map(Tape::from),
        });
    }
    Ok(found)
}

impl Times {
    fn from_samples(mut samples: Vec<f64>, calls: u64) -> Self {
        samples.sort_by(f64::total_cmp);
        Self {
            minimum: Real(quantile(&samples, 0.0)),
            lower_quartile: Real(quantile(&samples, 0.25)),
            median: Real(quantile(&samples, 0.5)),
            upper_quartile: Real(quantile(&samples, 0.75)),
            calls,
        }
    }
}

/// The quantile of sorted samples, by linear interpolation between two samples.
fn quantile(sorted: &[f64], part: f64) -> f64 {
    let at = part * (sorted.len() as f64 - 1.0);
    let below = at as usize;
    let (Some(&low), high) = (sorted.get(below), sorted.get(below + 1)) else {
        return f64::NAN;
    };
    high.map_or(low, |high| low + (at - below as f64) * (high - low))
}

/// The times for people, in microseconds.
fn table(out: &mut dyn Write, output: &Output<'_>) -> io::Result<()> {
    let Output {
        routine, samples, ..
    } = output;
    writeln!(out, "{routine}: microseconds of a call, {samples} samples")?;
    writeln!(
        out,
        "{:20}{:>12}{:>12}{:>12}{:>12}{:>12}",
        "", "minimum", "quartile", "median", "quartile", "calls"
    )?;
    for timed in &output.engines {
        for (what, times) in [("primal", &timed.primal), ("gradient", &timed.gradient)] {
            write!(out, "{:20}", format!("{} {what}", timed.engine))?;
            for x in [
                &times.minimum,
                &times.lower_quartile,
                &times.median,
                &times.upper_quartile,
            ] {
                write!(out, "{:>12.3}", 1e6 * x.0)?;
            }
            writeln!(out, "{:>12}", times.calls)?;
        }
        let flags = timed.flags.iter().map(|flags| format!("; {flags}"));
        let flags: String = flags.collect();
        write!(out, "{:20}gradient/primal {:.2}", "", timed.ratio.0)?;
        if let Some(tape) = &timed.tape {
            write!(out, "; tape {} bytes", tape.peak_bytes)?;
            if tape.snapshots > 0 {
                write!(out, "; {} states", tape.snapshots)?;
            }
            if tape.steps_again > 0 {
                write!(out, "; {} steps run again", tape.steps_again)?;
            }
            if tape.disk_bytes > 0 {
                write!(out, ", on disk {} bytes", tape.disk_bytes)?;
            }
        }
        writeln!(out, "{flags}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles() {
        let times = Times::from_samples(vec![4.0, 1.0, 3.0, 2.0, 6.0], 7);
        let found = [
            times.minimum,
            times.lower_quartile,
            times.median,
            times.upper_quartile,
        ];
        assert_eq!(found.map(|x| x.0), [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(quantile(&[1.0, 2.0], 0.25), 1.25);
        assert_eq!(quantile(&[5.0], 0.75), 5.0);
    }
}
