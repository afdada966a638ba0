//! A routine ready to be run, by the executor or by an engine in its place.
//!
//! There is a session of the executor in any case: it holds the globals before and after a run, and computes extents
//! that a POINT leaves out. An engine makes the run itself.

use crate::engine::Runner;
use crate::options::Options;
use crate::pointed::explained;
use cfg_core::{
    diagnostic::{Diagnostic, Diagnostics},
    entity::{GlobalId, RoutineId},
    flat::Flat,
    ir::Program,
};
use cfg_exec::{Argument, RunOptions, RunReport, Session, TapeCounts, TapeSize, Value};
use std::time::{Duration, Instant};

/// A routine that is ready to be run, by the executor or by another engine.
#[derive(Debug)]
pub(crate) struct Machine {
    pub(crate) session: Session,
    routine: RoutineId,
    runner: Option<Box<dyn Runner>>,
    /// The globals that own storage.
    owners: Vec<GlobalId>,
}

impl Machine {
    pub(crate) fn new(
        program: &Flat,
        routine: RoutineId,
        options: &Options,
    ) -> Result<Self, Diagnostics> {
        let session = options.session(&options.compile(program)?);
        let engine = options.engine.as_ref();
        let runner = engine.map(|engine| engine.prepare(program, routine, false));
        let globals = (0..program.globals.len()).map(GlobalId::new);
        Ok(Self {
            session,
            routine,
            runner: runner.transpose()?,
            owners: globals
                .filter(|g| program.global(*g).overlay.is_none())
                .collect(),
        })
    }

    /// A copy of the routine for another thread: the code is shared. An engine prepares it again.
    pub(crate) fn for_thread(
        &self,
        program: &Flat,
        options: &Options,
    ) -> Result<Self, Diagnostics> {
        let engine = options.engine.as_ref();
        let runner = engine.map(|engine| engine.prepare(program, self.routine, false));
        Ok(Self {
            session: options.session(self.session.compiled()),
            routine: self.routine,
            runner: runner.transpose()?,
            owners: self.owners.clone(),
        })
    }

    /// True if the executor makes the runs: it alone counts.
    pub(crate) fn counts(&self) -> bool {
        self.runner.is_none()
    }

    /// The values of the globals that own storage.
    pub(crate) fn globals(&self) -> Vec<Value> {
        let owners = self.owners.iter();
        owners.map(|g| self.session.global(*g)).collect()
    }

    /// The use of tapes in a run, counted by the engine; `None` without an engine.
    pub(crate) fn counted(
        &mut self,
        program: &Flat,
        arguments: &mut [Argument],
        options: &Options,
        start: impl Fn(&mut Session, &mut [Argument]) -> Result<(), Diagnostics>,
    ) -> Result<Option<TapeCounts>, Diagnostics> {
        let Some(engine) = &options.engine else {
            return Ok(None);
        };
        start(&mut self.session, arguments)?;
        let mut runner = engine.prepare(program, self.routine, true)?;
        let outcome = runner.run(arguments, &mut self.globals())?;
        Ok(outcome.tape)
    }

    /// Runs the routine from the globals and arguments that `start` sets.
    pub(crate) fn run(
        &mut self,
        program: &Program,
        arguments: &mut [Argument],
        options: &Options,
        start: impl Fn(&mut Session, &mut [Argument]) -> Result<(), Diagnostics>,
    ) -> Result<RunReport, Diagnostics> {
        if self.runner.is_none() {
            let run = (self.session).run_from(self.routine, arguments, &options.run, &start);
            return run.map_err(|problems| match self.session.pointed() {
                None => problems,
                Some(pointed) => {
                    let found = (problems, pointed);
                    explained(program, self.routine, (arguments, options), start, found)
                }
            });
        }
        start(&mut self.session, arguments)?;
        let mut globals = self.globals();
        let Some(runner) = &mut self.runner else {
            return Ok(RunReport::default());
        };
        let outcome = runner.run(arguments, &mut globals)?;
        for (g, value) in self.owners.iter().zip(&globals) {
            self.session.set_global(*g, value)?;
        }
        let mut report = RunReport {
            result: outcome.result,
            ..RunReport::default()
        };
        if outcome.tape_bytes > 0 {
            report.tape.leftovers.push(TapeSize {
                control_bits: outcome.tape_bytes.saturating_mul(8),
                ..TapeSize::default()
            });
        }
        Ok(report)
    }

    /// The time of `calls` runs, each from the globals and arguments that `start` sets, without the time of `start`.
    /// A first run is not counted.
    pub(crate) fn time(
        &mut self,
        arguments: &[Argument],
        options: &RunOptions,
        start: impl Fn(&mut Session, &mut [Argument]) -> Result<(), Diagnostics>,
        calls: u64,
    ) -> Result<Duration, Diagnostics> {
        let mut own = arguments.to_vec();
        start(&mut self.session, &mut own)?;
        if self.runner.is_some() {
            let globals = self.globals();
            let Some(runner) = &mut self.runner else {
                return Ok(Duration::ZERO);
            };
            return runner.time(&own, &globals, calls);
        }
        let mut taken = Duration::ZERO;
        for call in 0..=calls {
            if call > 0 {
                own.clone_from_slice(arguments);
                start(&mut self.session, &mut own)?;
            }
            let begin = Instant::now();
            let run = self.session.run(self.routine, &mut own, options);
            if call > 0 {
                taken += begin.elapsed();
            }
            run.map_err(|problem: Box<Diagnostic>| Diagnostics::from(*problem))?;
        }
        Ok(taken)
    }
}
