//! Running compiled routines from the host.

mod arguments;
mod known;
mod report;

use std::{path::PathBuf, sync::Arc};

use cfg_core::{
    diagnostic::Diagnostic,
    entity::{GlobalId, RoutineId},
    ir::Intent,
};

use crate::{
    compile::{Compiled, element_name},
    descriptor,
    fault::{ARGUMENT, FUEL, Fault, MEMORY, Pointed, TAPE},
    machine::{Activation, Limits, Machine, execute, running_loops},
    memory::Memory,
    restart::{Report, Restart},
    tape::{Meter, TapeCounts, TapeSize},
    value::{Argument, Value},
};
use arguments::{Entry, load};
pub use report::{Met, RunReport, Visited};

/// Limits of a run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Most steps. A step is an executed instruction: an operation of an expression is about one, a test or a jump
    /// one, a call and each element of an array operation at least one. Every pass of every loop costs something, so
    /// every run ends. The default is 10^10, about half a minute.
    pub fuel: u64,
    /// Most bytes of all tapes together. Default 4 GiB.
    pub max_tape: u64,
    /// Most bytes taken from the session's [`Memory`], including those of other sessions that share it: globals,
    /// arguments, variables, call frames, tapes, traces. Default 4 GiB.
    pub max_memory: u64,
    /// Most nested calls, the first one included. Default 10000.
    pub max_depth: usize,
    /// The folder for what tapes keep in files. By default that of the system for temporary files. The files have no
    /// names there, and end with the tapes or with the process.
    pub disk: Option<PathBuf>,
    /// The files that keep the progress of loops with checkpoints, in programs that were reversed for it; they are
    /// removed at success.
    pub restart: Option<Restart>,
    /// The function that is told the progress of loops with checkpoints, in programs that were reversed for it.
    pub report: Option<Report>,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self {
            fuel: 10_000_000_000,
            max_tape: 4 << 30,
            max_memory: 4 << 30,
            max_depth: 10_000,
            disk: None,
            restart: None,
            report: None,
        }
    }
}

/// Runs the routines of a compiled program. Memory and tapes are kept from run to run; globals keep
/// their values.
pub struct Session {
    /// The counter of references is the session's own: runs of other threads do not wait for it.
    compiled: Arc<Compiled>,
    /// The globals are at the bottom of its memory.
    machine: Machine,
    /// True if the globals are in memory; otherwise they have their initial values.
    ready: bool,
    /// Most bytes of memory outside of runs.
    limit: u64,
    /// Steps that the last run had taken when it was stopped, and the loops in its message.
    stopped: (u64, String),
    /// The object of the pointer that stopped the last run.
    pointed: Option<Pointed>,
    /// The arguments of the last run, as they came in: buffers that are kept.
    entry: Entry,
    /// A list that a host has given back.
    leftovers: Vec<TapeSize>,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session")
            .field("compiled", &self.compiled)
            .finish_non_exhaustive()
    }
}

impl Session {
    /// A session in which globals have their initial values.
    pub fn new(compiled: &Compiled) -> Self {
        Self::sharing(compiled, &Memory::default(), u64::MAX)
    }

    /// A session in which globals have their initial values, with an account of memory that other sessions may share.
    /// `limit` applies to globals that are set outside of runs; runs have limits of their own.
    pub fn sharing(compiled: &Compiled, memory: &Memory, limit: u64) -> Self {
        Self {
            compiled: Arc::new(compiled.clone()),
            machine: Machine {
                held: memory.empty(),
                ..Machine::default()
            },
            ready: false,
            limit,
            stopped: (0, String::new()),
            pointed: None,
            entry: Entry::default(),
            leftovers: Vec::new(),
        }
    }

    /// The program that the session runs.
    pub fn compiled(&self) -> &Compiled {
        &self.compiled
    }

    /// Takes the counts of an earlier run back, whose list the next run uses in place of a new one.
    pub fn recycle(&mut self, counts: TapeCounts) {
        self.leftovers = counts.leftovers;
        self.leftovers.clear();
    }

    /// Another session with the same code and the same account, in which globals have their initial values.
    #[must_use]
    pub fn fresh(&self) -> Self {
        Self::sharing(&self.compiled, self.memory(), self.limit)
    }

    /// The account of the session's memory.
    pub fn memory(&self) -> &Memory {
        self.machine.held.memory()
    }

    /// Gives all globals their initial values again.
    pub fn reset_globals(&mut self) {
        self.ready = false;
    }

    /// Puts the globals into memory, unless they are there.
    fn place_globals(&mut self) -> Result<(), Fault> {
        let globals = &self.compiled.inner.globals;
        self.machine.reserve(globals.cells)?;
        if !self.ready {
            let cells = globals.cells as usize;
            globals.initialise(0, &mut self.machine.memory[..cells]);
            self.ready = true;
        }
        Ok(())
    }

    /// The contents of cells of globals.
    fn global_cells(&self, range: std::ops::Range<usize>) -> Vec<u64> {
        if self.ready {
            return self.machine.memory[range].to_vec();
        }
        let mut cells = vec![0; range.len()];
        let globals = &self.compiled.inner.globals;
        globals.initialise(range.start as u64, &mut cells);
        cells
    }

    fn global_range(&self, g: GlobalId) -> std::ops::Range<usize> {
        let globals = &self.compiled.inner.globals;
        let at = globals.address(g) as usize;
        let n = descriptor::element_count(&globals.axes[g.index()]).unwrap_or(0) as usize;
        at..at + n
    }

    /// The object of the pointer that stopped the last run, since it led out of the object or was used after the
    /// object's end. Only programs made by `cfg_transform::pools` have such objects. `None` if the run ended, or was
    /// stopped for another reason.
    pub fn pointed(&self) -> Option<Pointed> {
        self.pointed
    }

    /// The value of a global.
    pub fn global(&self, g: GlobalId) -> Value {
        let variable = &self.compiled.inner.global_variables[g.index()];
        let shape = self.global_shape(g);
        let cells = self.global_cells(self.global_range(g));
        Value::from_cells(variable.ty, shape, variable.order, cells)
    }

    /// The extents of a global; empty for a scalar.
    pub fn global_shape(&self, g: GlobalId) -> Vec<usize> {
        let axes = &self.compiled.inner.globals.axes[g.index()];
        axes.iter().map(|a| a.extent as usize).collect()
    }

    /// Sets a global.
    ///
    /// # Errors
    /// The type or the shape is not the declared one, or the globals do not fit into memory.
    pub fn set_global(&mut self, g: GlobalId, value: &Value) -> Result<(), Box<Diagnostic>> {
        let compiled = Arc::clone(&self.compiled);
        let variable = &compiled.inner.global_variables[g.index()];
        let axes = &compiled.inner.globals.axes[g.index()];
        let fits = (axes.iter().map(|a| a.extent as usize)).eq(value.shape().iter().copied());
        if value.ty() != variable.ty || !fits {
            let shape = self.global_shape(g);
            return Err(Box::new(Diagnostic::error(
                &ARGUMENT,
                format!(
                    "the global '{}' is {} of shape {:?}, not {} of shape {:?}",
                    variable.name,
                    variable.ty.name(),
                    shape,
                    value.ty().name(),
                    value.shape()
                ),
                "give a value of the declared type and shape",
            )));
        }
        self.machine.limits = Some(Limits {
            fuel: 0,
            max_tape: 0,
            max_memory: self.limit,
            max_depth: 0,
        });
        self.place_globals().map_err(|fault| {
            let at = format!("global {}", variable.name);
            Box::new(fault.diagnostic(&|_| None).at_element(at))
        })?;
        let range = self.global_range(g);
        value.put(variable.order, &mut self.machine.memory[range]);
        Ok(())
    }

    /// Runs a routine. Arguments of `out` and `inout` parameters are replaced by their final values; tapes are used
    /// in place. After an error, arguments are as before; tapes and globals are as the run has left them.
    ///
    /// If steps, tape or memory run out, the message names the innermost running LOOP. The number of its passes is
    /// found by a second run, which is made if globals had their initial values, tapes were empty, and no callback is
    /// called; see [`Self::run_from`] for other cases.
    ///
    /// # Errors
    /// Arguments that do not fit the parameters, and everything that can go wrong in a run; the
    /// place is routine, vertex and statement.
    pub fn run(
        &mut self,
        routine: RoutineId,
        arguments: &mut [Argument],
        options: &RunOptions,
    ) -> Result<RunReport, Box<Diagnostic>> {
        let (ready, globals) = (self.ready, self.compiled.inner.globals.cells);
        let empty = |a: &Argument| !matches!(a, Argument::Tape(tape) if !tape.size().is_empty());
        let repeatable = (!ready || globals == 0)
            && arguments.iter().all(empty)
            && self.compiled.inner.image.callbacks.is_empty();
        if !repeatable {
            return self.attempt(routine, arguments, options, false);
        }
        self.run_from(routine, arguments, options, |session, _| {
            session.ready = ready;
            Ok(())
        })
    }

    /// Runs a routine as [`Self::run`] does, from a repeatable start: `start` sets globals and arguments to their
    /// values at the beginning. If a limit stops the run, `start` is called once more, with empty tapes, and the run
    /// is repeated up to the same step, to count the passes of the running loops for the message. The repetition
    /// takes about as long as the run.
    ///
    /// # Errors
    /// The errors are those of `start` and of [`Self::run`].
    pub fn run_from<E: From<Box<Diagnostic>>>(
        &mut self,
        routine: RoutineId,
        arguments: &mut [Argument],
        options: &RunOptions,
        start: impl Fn(&mut Self, &mut [Argument]) -> Result<(), E>,
    ) -> Result<RunReport, E> {
        start(self, arguments)?;
        let mut stopped = match self.attempt(routine, arguments, options, false) {
            Ok(report) => return Ok(report),
            // A run that keeps its progress is not begun anew.
            Err(problem) if !at_a_limit(&problem) || options.restart.is_some() => {
                return Err(problem.into());
            }
            Err(stopped) => stopped,
        };
        for argument in arguments.iter_mut() {
            if let Argument::Tape(tape) = argument {
                tape.clear();
            }
        }
        start(self, arguments)?;
        let (steps, without) = std::mem::take(&mut self.stopped);
        let as_far = RunOptions {
            fuel: options.fuel.min(steps),
            ..options.clone()
        };
        let repeated = self.attempt(routine, arguments, &as_far, true);
        if repeated.is_err_and(|problem| at_a_limit(&problem))
            && let Some(message) = stopped.message.strip_suffix(&without)
        {
            stopped.message = format!("{message}{}", self.stopped.1);
        }
        Err(stopped.into())
    }

    /// Attempts a run, with or without counts of jumps back.
    fn attempt(
        &mut self,
        routine: RoutineId,
        arguments: &mut [Argument],
        options: &RunOptions,
        counts: bool,
    ) -> Result<RunReport, Box<Diagnostic>> {
        let compiled = Arc::clone(&self.compiled);
        let inner = &*compiled.inner;
        let signature = &inner.signatures[routine.index()];
        self.check_arguments(routine, signature, arguments)?;
        self.clear(options, counts);

        let fuel = self.machine.fuel;
        let placed = self.place_globals();
        let (machine, entry) = (&mut self.machine, &mut self.entry);
        let outcome = placed
            .and_then(|()| {
                machine.top = inner.globals.cells as usize;
                load(machine, signature, arguments, entry)
            })
            .map_err(Box::new)
            .and_then(|()| {
                if options.max_depth == 0 {
                    return Err(Box::new(Fault::Depth(0)));
                }
                machine.enter(
                    &inner.image,
                    routine.index(),
                    (&entry.incoming, &entry.axes),
                )?;
                execute(machine, &inner.image, inner.native.as_deref())
            });

        // Tapes go back to the host, also after an error.
        let leftovers = return_tapes(machine, arguments);
        if let Err(fault) = outcome {
            return Err(Box::new(self.stop(fuel, &fault)));
        }
        let mut tape = machine.meter.finish();
        tape.leftovers.extend(leftovers);
        let at_the_end = |fault: Fault| {
            let at = element_name(&signature.name, None, None);
            Box::new(fault.diagnostic(&|_| None).at_element(at))
        };
        let result = match &signature.result {
            Some(variable) => Some(report::result(machine, variable).map_err(at_the_end)?),
            None => None,
        };
        let (trace, held) = report::trace(inner, machine).map_err(at_the_end)?;
        machine.keeper.forget().map_err(at_the_end)?;
        // The result and the trace take memory, which may be refused. Arguments are written last, when no error is
        // possible any more.
        for (k, argument) in arguments.iter_mut().enumerate() {
            let variable = signature.parameter(k);
            if let (Argument::Value(value), Some(at)) = (argument, entry.homes[k])
                && variable.intent().is_some_and(Intent::writes)
            {
                let cells = &machine.memory[at..at + value.len()];
                value.get_back(variable.order, cells);
            }
        }
        Ok(RunReport {
            result,
            steps: steps(fuel, machine),
            tape,
            trace,
            held,
            events: report::events(inner, machine),
            pieces: machine.pieces,
        })
    }

    /// The machine as it is before a run with these limits.
    fn clear(&mut self, options: &RunOptions, counts: bool) {
        self.pointed = None;
        let machine = &mut self.machine;
        machine.limits = Some(Limits {
            fuel: options.fuel,
            max_tape: options.max_tape,
            max_memory: options.max_memory,
            max_depth: options.max_depth,
        });
        // The largest fuel: no run uses it up, and adding the length of the code does not overflow.
        machine.fuel = options.fuel.min(1 << 62) as i64;
        machine.passes.start(counts);
        machine.handlers.clear();
        machine.folder.clone_from(&options.disk);
        (machine.keeper).start(options.restart.as_ref(), options.report.as_ref());
        machine.meter = Meter::new(options.max_tape, machine.held.memory(), options.max_memory);
        machine.meter.counts.leftovers = std::mem::take(&mut self.leftovers);
        machine.frames.clear();
        machine.gathered.clear();
        machine.trace.clear();
        machine.met.clear();
        machine.met_at.clear();
        machine.pieces = 0;
        machine.activations = 0;
        machine.top = 0;
        machine.now = Activation::default();
        while let Some(mut tape) = machine.tapes.pop() {
            tape.clear();
            machine.spare_tapes.push(tape);
        }

        // Buffers left by runs with other limits may exceed the limit of this one.
        if machine.held.memory().used() > options.max_memory {
            let globals = &self.compiled.inner.globals;
            let globals = if self.ready { globals.cells } else { 0 };
            machine.give_back(globals as usize);
        }
    }

    /// The diagnostic of a run that a fault has stopped; at a limit with the loops that were running.
    fn stop(&mut self, fuel: i64, fault: &Fault) -> Diagnostic {
        let inner = &*self.compiled.inner;
        let (mut problem, pointed) = report::locate(inner, &self.machine, fault);
        self.pointed = pointed;
        self.stopped = (steps(fuel, &self.machine), String::new());
        if at_a_limit(&problem) {
            let loops = running_loops(&self.machine, &inner.image.routines, |routine, v| {
                let signature = &inner.signatures[routine];
                (signature.name.clone(), signature.vertex_ids[v.index()].0)
            });
            problem.message += &loops;
            self.stopped.1 = loops;
        }
        problem
    }
}

/// Gives tapes back to the arguments that they came from; returns the numbers of values left on them.
fn return_tapes(machine: &mut Machine, arguments: &mut [Argument]) -> Vec<TapeSize> {
    let mut tapes = machine.tapes.drain(..);
    let mut leftovers = Vec::new();
    for argument in arguments.iter_mut() {
        if let Argument::Tape(tape) = argument
            && let Some(used) = tapes.next()
        {
            *tape = used;
            leftovers.push(tape.size());
        }
    }
    machine.spare_tapes.extend(tapes.map(|mut tape| {
        tape.clear();
        tape
    }));
    leftovers
}

/// True if more steps, tape or memory would have let the run go on.
fn at_a_limit(problem: &Diagnostic) -> bool {
    let limits = [FUEL, TAPE, MEMORY];
    limits.iter().any(|limit| limit.code == problem.code)
}

/// Steps that a run has taken.
fn steps(fuel: i64, machine: &Machine) -> u64 {
    (fuel - machine.fuel).unsigned_abs()
}
