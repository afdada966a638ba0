//! Programs as C, compiled by the system's compiler and run as a process of their own.
//!
//! [`Executable::build`] writes the C of some routines (`cfg_back::c`), compiles it in a temporary folder and starts it;
//! [`Executable::run`] calls a routine with the arguments that a [`cfg_exec::Session`] would take, and returns the
//! values that the session would return. No compiled code is loaded into this process, so a crash or an endless loop
//! ends the other one.
//!
//! ```no_run
//! use cfg_cc::{Compiler, Executable};
//! use cfg_core::{entity::RoutineId, flat::Flat, validate::validate};
//! use cfg_format::text;
//! use cfg_exec::Argument;
//!
//! let parsed = text::parse("subroutine f(in real x, out real y)\n  y := x*x\nend\n");
//! let program = Flat::check(validate(parsed.program.ok_or(parsed.problems)?)?)?;
//! let f = RoutineId::new(0);
//! let mut built = Executable::build(&[(&program, f)], &Compiler::default())?;
//! let answer = built.run(0, &[Argument::from(3.0), Argument::from(0.0)], &[])?;
//! assert_eq!(answer.arguments[1], Argument::from(9.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | file | what |
//! |---|---|
//! | `compile`, `cache` | from a source to an executable file; a cache of these |
//! | `process` | waiting for compiler and program: a time limit, and signals |
//! | `cells` | values as bytes |
//! | `original` | a function of C as its file has it, compared with the program that was read |

mod cache;
mod cells;
mod codes;
mod compile;
mod original;
mod process;

pub use codes::CODES;

/// The code of the error for work that a signal has stopped.
pub const STOPPED: &str = codes::STOPPED.code;
pub use original::{Comparison, Difference, Number, Original};
pub use process::{Watch, Watching};

use cells::{read_value, write_value};
use cfg_core::{
    diagnostic::{CodeInfo, Diagnostic, Diagnostics},
    entity::{GlobalId, RoutineId},
    flat::Flat,
    ir::{Cfg, Extent, Intent, Program, Variable},
};
use cfg_exec::{Argument, Report, Restart, TapeCounts, Value, stopped};
use process::{Process, watching};
use std::{
    collections::HashMap,
    io::{self, Read},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

/// The compiler, its flags, and how compiled programs are run.
#[derive(Clone, Debug)]
pub struct Compiler {
    /// The command: a path, or a name that is looked up.
    pub command: PathBuf,
    /// The flags, without those that name files.
    pub flags: Vec<String>,
    /// Warnings are errors.
    pub strict: bool,
    /// Counts the pushes and pops of calls ([`Answer::tape`]), which takes time.
    pub counting: bool,
    /// The folder in which executables are kept for the next time. Nothing is kept without a folder, if it or a
    /// folder in it belongs to others, or if a flag may make the result depend on more than the source, the flags and
    /// the compiler.
    pub cache: Option<PathBuf>,
    /// The longest time that a call may take; then the process is ended.
    pub limit: Option<Duration>,
    /// Asked regularly whether compiler and program are to be stopped.
    pub watch: Option<Arc<dyn Watch>>,
    /// The files that keep the progress of loops with checkpoints while a call runs. Programs that were reversed for it
    /// do so (`cfg_reverse::Options::restarts`).
    pub restart: Option<Restart>,
    /// The function that is told the progress of such loops, about once a second.
    pub report: Option<Report>,
    /// The folder for what tapes keep in files; by default that of the system for temporary files.
    pub disk: Option<PathBuf>,
}

impl Default for Compiler {
    /// `cc` with flags under which values are those of the executor, bit for bit; nothing is kept, and there is no limit.
    fn default() -> Self {
        let flags = ["-std=c99", "-O1", "-fno-builtin", "-ffp-contract=off"];
        Self {
            command: "cc".into(),
            flags: flags.map(str::to_owned).into(),
            strict: true,
            counting: false,
            cache: None,
            limit: None,
            watch: None,
            restart: None,
            report: None,
            disk: None,
        }
    }
}

/// The interface of a routine that was compiled.
#[derive(Clone, Debug)]
struct Callable {
    name: String,
    parameters: Vec<Variable>,
    result: Option<Variable>,
    /// The globals that own storage, with their numbers of elements.
    globals: Vec<(Variable, usize)>,
}

/// The outcome of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// 0, or why the call failed: 1 no memory, 2 a limit, 3 the program stopped, 4 a check, 5 the files of
    /// [`Compiler::restart`].
    pub status: i64,
    /// In a program with checks, the code and the place of the failure. Without checks, the numbers that
    /// [`Executable::stopped`] reads, or nothing.
    pub message: String,
    /// The bytes that are left on the tape that was given.
    pub tape_bytes: u64,
    /// The numbers of pushes and pops, and their bytes; `Some` if [`Compiler::counting`] is set.
    pub tape: Option<TapeCounts>,
    /// The value of a function.
    pub result: Option<Value>,
    /// The arguments after the call.
    pub arguments: Vec<Argument>,
    /// The globals that own storage, in the order of the program.
    pub globals: Vec<Value>,
}

/// Routines that were compiled, in a process that waits for calls.
#[derive(Debug)]
pub struct Executable {
    callables: Vec<Callable>,
    process: Process,
    counting: bool,
    checks: bool,
    /// The errors of the statements that stop a program, by the numbers of program, routine, vertex and statement.
    stops: HashMap<[usize; 4], Diagnostic>,
}

/// The errors of the statements that stop a program.
fn stops(number: usize, program: &Program) -> impl Iterator<Item = ([usize; 4], Diagnostic)> {
    let vertices = (0..).map(RoutineId::new).zip(&program.routines);
    let vertices = vertices.flat_map(|(r, routine)| {
        let all = routine.body.iter().flat_map(Cfg::vertices);
        all.map(move |(v, vertex)| (r, v, vertex.statements().len()))
    });
    vertices.flat_map(move |(r, v, count)| {
        (0..count).filter_map(move |s| {
            let found = stopped(program, r, v, s)?;
            Some(([number, r.index(), v.index(), s], found))
        })
    })
}

fn problem(code: &CodeInfo, message: String, help: &str) -> Diagnostics {
    Diagnostic::error(code, message, help).into()
}

/// Fails if a status says that a call has failed; `told` is its [`Answer::message`], or nothing.
///
/// # Errors
/// The status is not 0.
pub fn check_status(name: &str, status: i64, told: &str) -> Result<(), Diagnostics> {
    let executor = "run it with the executor, which names the place";
    let (why, help) = match (status, told) {
        (0, _) => return Ok(()),
        (1, "" | "out of memory") => ("there is not enough memory", executor),
        (1, told) => (told, "name a folder with enough room: --disk FOLDER"),
        (2, _) => (
            "a limit was reached: what pointers lead to has no room, or calls nest too deep",
            "make the pools larger, --heap CELLS; if that is not the reason, run it with the executor, which names the place",
        ),
        (3, _) => ("the program has stopped", executor),
        (5, told) => (
            told,
            "name other files by --restart, or remove them: the run begins anew then",
        ),
        (_, "") => ("a check has failed", executor),
        (_, told) => (told, executor),
    };
    Err(problem(&codes::STATUS, format!("`{name}`: {why}"), help))
}

fn no_folder(e: &io::Error) -> Diagnostics {
    problem(
        &codes::PROCESS,
        format!("there is no place for what is compiled: {e}"),
        "set TMPDIR to a folder that can be written",
    )
}

fn callable(program: &Program, r: RoutineId) -> Callable {
    let routine = program.routine(r);
    let variable = |v| routine.variable(v).clone();
    let owners = program.globals.iter().filter(|g| g.overlay.is_none());
    let size = |g: &Variable| g.constant_size().and_then(|n| usize::try_from(n).ok());
    Callable {
        name: routine.name.clone(),
        parameters: routine.parameter_ids().map(variable).collect(),
        result: routine.result.map(variable),
        globals: owners
            .map(|g| (g.variable.clone(), size(&g.variable).unwrap_or(0)))
            .collect(),
    }
}

impl Executable {
    /// Compiles routines, each of a program, and starts the process that runs them.
    ///
    /// # Errors
    /// A program has no counterpart in C, the compiler is missing or refuses the text, or the process cannot be
    /// started.
    pub fn build(
        programs: &[(&Flat, RoutineId)],
        compiler: &Compiler,
    ) -> Result<Self, Diagnostics> {
        Self::build_with(programs, compiler, cfg_back::c::Options::default())
    }

    /// [`Self::build`] with options. With checks a program that fails gives status 4 and an [`Answer::message`].
    ///
    /// # Errors
    /// A program has no counterpart in C, the compiler is missing or refuses the text, or the process cannot be
    /// started.
    pub fn build_with(
        programs: &[(&Flat, RoutineId)],
        compiler: &Compiler,
        options: cfg_back::c::Options,
    ) -> Result<Self, Diagnostics> {
        let text = cfg_back::c::server(programs, options, compiler.counting)?;
        // Dropped last: only then a signal that has come may end this process, when its files have been removed.
        let watching = watching(compiler)?;
        let made = compile::compile(&text, compiler, &*watching)?;
        let process = Process::start(made, compiler)?;
        Ok(Self {
            callables: programs
                .iter()
                .map(|(program, r)| callable(program, *r))
                .collect(),
            process,
            counting: compiler.counting,
            checks: options.checks,
            stops: (programs.iter().enumerate())
                .flat_map(|(k, (program, _))| stops(k, program))
                .collect(),
        })
    }

    /// The error that the executor reports for a call that ended because the program stopped; `position` is that of
    /// the routine that was called. `None` for other answers, and for programs with checks.
    pub fn stopped(&self, position: usize, answer: &Answer) -> Option<Diagnostic> {
        let mut numbers = answer.message.split(' ').map(|n| n.parse().ok());
        let mut next = || numbers.next().flatten();
        let key = [position, next()?, next()?, next()?];
        self.stops.get(&key).filter(|_| answer.status == 3).cloned()
    }

    /// Calls the routine of this position among those that were compiled. `globals` are the values of those that own
    /// storage, in the order of the program.
    ///
    /// # Errors
    /// Arguments or globals that do not fit, and a process that ends or takes too long.
    pub fn run(
        &mut self,
        position: usize,
        arguments: &[Argument],
        globals: &[Value],
    ) -> Result<Answer, Diagnostics> {
        let (callable, request) = self.request(position, 0, arguments, globals)?;
        let checks = self.checks;
        let read =
            |output: &mut dyn Read| read_answer(output, &callable, arguments, globals, checks);
        let mut answer = self.process.exchange(&callable.name, &request, read)?;
        answer.tape = answer.tape.filter(|_| self.counting);
        Ok(answer)
    }

    /// Calls a routine a number of times, each time with these arguments and globals, and returns the time of all
    /// calls together and their status. The time has neither a first call, which warms up, nor the copying of
    /// arguments.
    ///
    /// # Errors
    /// The errors are those of [`Self::run`].
    pub fn time(
        &mut self,
        position: usize,
        arguments: &[Argument],
        globals: &[Value],
        calls: u64,
    ) -> Result<(Duration, i64), Diagnostics> {
        let calls = i64::try_from(calls).unwrap_or(i64::MAX).max(1);
        let (callable, request) = self.request(position, calls, arguments, globals)?;
        let read = |output: &mut dyn Read| {
            let (mut status, mut seconds) = ([0; 8], [0; 8]);
            output.read_exact(&mut status)?;
            output.read_exact(&mut seconds)?;
            let seconds = Duration::try_from_secs_f64(f64::from_ne_bytes(seconds));
            Ok((
                seconds.map_err(io::Error::other)?,
                i64::from_ne_bytes(status),
            ))
        };
        self.process.exchange(&callable.name, &request, read)
    }

    fn request(
        &self,
        position: usize,
        calls: i64,
        arguments: &[Argument],
        globals: &[Value],
    ) -> Result<(Callable, Vec<u8>), Diagnostics> {
        let Some(callable) = self.callables.get(position) else {
            let message = format!("no routine has position {position}");
            return Err(problem(
                &codes::ARGUMENT,
                message,
                "give one that was compiled",
            ));
        };
        if arguments.len() != callable.parameters.len() || globals.len() != callable.globals.len() {
            let message = format!(
                "`{}` takes {} arguments and {} globals, not {} and {}",
                callable.name,
                callable.parameters.len(),
                callable.globals.len(),
                arguments.len(),
                globals.len()
            );
            return Err(problem(
                &codes::ARGUMENT,
                message,
                "give one value for each",
            ));
        }
        let mut request = Vec::new();
        put(&mut request, position as i64);
        put(&mut request, calls);
        for (variable, argument) in callable.parameters.iter().zip(arguments) {
            write_argument(&mut request, variable, argument, self.checks)?;
        }
        for ((variable, size), value) in callable.globals.iter().zip(globals) {
            if value.ty() != variable.ty || value.len() != *size {
                let message = format!("the value for `{}` has another type or size", variable.name);
                return Err(problem(
                    &codes::ARGUMENT,
                    message,
                    "give a value of the declared type and shape",
                ));
            }
            write_value(&mut request, value, variable.order, self.checks);
        }
        Ok((callable.clone(), request))
    }
}

fn read_answer(
    output: &mut dyn Read,
    callable: &Callable,
    arguments: &[Argument],
    globals: &[Value],
    checks: bool,
) -> io::Result<Answer> {
    let (mut status, mut tape_bytes) = ([0; 8], [0; 8]);
    output.read_exact(&mut status)?;
    let message = read_message(output)?;
    output.read_exact(&mut tape_bytes)?;
    let tape = read_counts(output)?;
    let result = match &callable.result {
        Some(variable) => Some(read_result(output, variable, checks)?),
        None => None,
    };
    let mut left = Vec::with_capacity(arguments.len());
    for (variable, argument) in callable.parameters.iter().zip(arguments) {
        let writes = variable.intent().is_some_and(Intent::writes);
        left.push(match argument {
            Argument::Value(value) if writes => {
                read_value(output, variable.ty, value.shape(), variable.order, checks)?.into()
            }
            other => other.clone(),
        });
    }
    let mut after = Vec::with_capacity(globals.len());
    for ((variable, _), before) in callable.globals.iter().zip(globals) {
        after.push(read_value(
            output,
            variable.ty,
            before.shape(),
            variable.order,
            checks,
        )?);
    }
    Ok(Answer {
        status: i64::from_ne_bytes(status),
        message,
        tape_bytes: u64::from_ne_bytes(tape_bytes),
        tape: Some(tape),
        result,
        arguments: left,
        globals: after,
    })
}

/// Reads the result of a function; extents come before an array.
fn read_result(output: &mut dyn Read, variable: &Variable, checks: bool) -> io::Result<Value> {
    let mut shape = Vec::with_capacity(variable.rank());
    for _ in 0..variable.rank() {
        let mut extent = [0; 8];
        output.read_exact(&mut extent)?;
        let extent = usize::try_from(i64::from_ne_bytes(extent));
        shape.push(extent.map_err(io::Error::other)?);
    }
    read_value(output, variable.ty, &shape, variable.order, checks)
}

/// Reads the message of a failure: its length, and its bytes.
fn read_message(output: &mut dyn Read) -> io::Result<String> {
    let mut length = [0; 8];
    output.read_exact(&mut length)?;
    let mut bytes = Vec::new();
    output
        .take(u64::from_ne_bytes(length))
        .read_to_end(&mut bytes)?;
    String::from_utf8(bytes).map_err(io::Error::other)
}

/// Reads a `struct cfgrev_use`.
fn read_counts(output: &mut dyn Read) -> io::Result<TapeCounts> {
    let mut next = || -> io::Result<u64> {
        let mut bytes = [0; 8];
        output.read_exact(&mut bytes)?;
        Ok(u64::from_ne_bytes(bytes))
    };
    let mut counts = TapeCounts {
        pushes: next()?,
        pops: next()?,
        control_bits: next()?,
        integers: next()?,
        reals: next()?,
        reals32: next()?,
        ..TapeCounts::default()
    };
    let [_now, most] = [next()?, next()?];
    counts.disk = next()?;
    counts.disk_written = next()?;
    counts.disk_read = next()?;
    let _now_on_disk = next()?;
    counts.disk_peak = next()?;
    counts.value_bytes = 8 * (counts.integers + counts.reals) + 4 * counts.reals32;
    counts.peak_bytes = most.div_ceil(8);
    Ok(counts)
}

fn put(request: &mut Vec<u8>, n: i64) {
    request.extend_from_slice(&n.to_ne_bytes());
}

fn write_argument(
    request: &mut Vec<u8>,
    variable: &Variable,
    argument: &Argument,
    checks: bool,
) -> Result<(), Diagnostics> {
    if variable.ty.is_tape() {
        return Ok(());
    }
    let value = match argument {
        Argument::Value(value)
            if value.ty() == variable.ty && value.shape().len() == variable.rank() =>
        {
            Some(value)
        }
        Argument::Absent => None,
        Argument::Value(_) | Argument::Tape(_) => {
            let message = format!(
                "the argument for `{}` has another type or rank",
                variable.name
            );
            return Err(problem(
                &codes::ARGUMENT,
                message,
                "give a value of the declared type and shape",
            ));
        }
    };
    put(request, value.is_some().into());
    put(request, value.map_or(0, |value| value.len() as i64));
    for (k, dim) in variable.shape.iter().enumerate() {
        let given = value.filter(|_| dim.extent == Extent::Deferred);
        put(request, given.map_or(0, |value| value.shape()[k] as i64));
    }
    if let Some(value) = value {
        write_value(request, value, variable.order, checks);
    }
    Ok(())
}

/// The positions of the globals that own storage.
pub fn storage_owners(program: &Program) -> Vec<GlobalId> {
    let ids = (0..program.globals.len()).map(GlobalId::new);
    ids.filter(|g| program.global(*g).overlay.is_none())
        .collect()
}
