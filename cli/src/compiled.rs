//! The engine that compiles programs as C by the system's compiler, and runs them as a process.

use crate::args::{Compiling, Engine, EngineName, Limits, Math};
use crate::input::Usage;
use crate::signals::Waiting;
use cfg_cc::{Compiler, Executable, Watch, Watching, check_status};
use cfg_core::{diagnostic::Diagnostics, entity::RoutineId, flat::Flat};
use cfg_drive::{Outcome, Runner};
use cfg_exec::{Argument, RunOptions, Value};
use std::{env, io, path::PathBuf, sync::Arc, time::Duration};

/// Flags under which values are the executor's, bit for bit.
const EXACT: &str = "-O1 -fno-builtin -ffp-contract=off";

/// The engine that the command line asks for; none is the executor.
pub(crate) fn engine(
    args: &Engine,
    (limits, run): (&Limits, &RunOptions),
    trace: bool,
) -> Result<Option<Arc<dyn cfg_drive::Engine>>, Usage> {
    if args.engine != EngineName::Cc {
        return Ok(None);
    }
    let refused = [
        (trace, "--trace"),
        (limits.report_kinks, "--report-kinks"),
        (limits.math == Math::Portable, "--math portable"),
    ];
    for (given, option) in refused {
        if given {
            let message = format!("{option} needs the executor: compiled code cannot do it");
            return Err(Usage(message));
        }
    }
    let mut compiler = compiler(&args.compiling, EXACT, limits);
    compiler.restart.clone_from(&run.restart);
    compiler.report.clone_from(&run.report);
    Ok(Some(Arc::new(Cc(compiler))))
}

/// The engine with these flags, unless the command line has others.
pub(crate) fn by_compiler(
    args: &Compiling,
    flags: &str,
    limits: &Limits,
) -> Arc<dyn cfg_drive::Engine> {
    Arc::new(Cc(compiler(args, flags, limits)))
}

/// The compiler with these flags, unless the command line has others.
fn compiler(args: &Compiling, flags: &str, limits: &Limits) -> Compiler {
    let own = args.cc_flags.as_deref().unwrap_or(flags);
    let mut compiler = system_compiler(args);
    compiler.flags.push("-std=c99".to_owned());
    let own = own.split_whitespace().map(str::to_owned);
    compiler.flags.extend(own);
    compiler.disk.clone_from(&limits.disk);
    compiler
}

/// The system's compiler, with the flags of the environment alone.
pub(crate) fn system_compiler(args: &Compiling) -> Compiler {
    let given = env::var("CC").unwrap_or_default();
    // CC may be a path with blanks, or a command with flags behind it, as for `make`.
    let mut words = given.split_whitespace();
    let (command, first) = match words.next() {
        None => ("cc".into(), Vec::new()),
        Some(_) if PathBuf::from(&given).is_file() => (PathBuf::from(&given), Vec::new()),
        Some(command) => (command.into(), words.collect()),
    };
    Compiler {
        command,
        flags: first.into_iter().map(str::to_owned).collect(),
        strict: false,
        counting: false,
        cache: (!args.cc_no_cache).then(cache_folder).flatten(),
        limit: Some(args.cc_time),
        watch: Some(Arc::new(Signals)),
        restart: None,
        report: None,
        disk: None,
    }
}

/// The flags with which [`by_compiler`] calls the compiler.
pub(crate) fn flags_of(args: &Compiling, flags: &str) -> String {
    format!("-std=c99 {}", args.cc_flags.as_deref().unwrap_or(flags))
}

/// The folder for executables in the user's cache.
fn cache_folder() -> Option<PathBuf> {
    let named = |name| {
        env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let caches = named("XDG_CACHE_HOME").or_else(|| Some(named("HOME")?.join(".cache")))?;
    Some(caches.join("cfgrev").join("cc"))
}

/// Signals wait until compiler and program have been ended.
#[derive(Debug)]
struct Signals;

impl Watch for Signals {
    fn begin(&self) -> io::Result<Box<dyn Watching>> {
        Ok(Box::new(Waiting::start()?))
    }
}

impl Watching for Waiting {
    fn stopped(&self) -> bool {
        self.check().is_err()
    }
}

/// The compiler as an engine.
#[derive(Debug)]
struct Cc(Compiler);

impl cfg_drive::Engine for Cc {
    fn prepare(
        &self,
        program: &Flat,
        routine: RoutineId,
        counting: bool,
    ) -> Result<Box<dyn Runner>, Diagnostics> {
        let compiler = Compiler {
            counting,
            ..self.0.clone()
        };
        Ok(Box::new(Ready {
            name: program.routine(routine).name.clone(),
            executable: Executable::build(&[(program, routine)], &compiler)?,
        }))
    }
}

/// A routine that was compiled.
#[derive(Debug)]
struct Ready {
    name: String,
    executable: Executable,
}

impl Runner for Ready {
    fn run(
        &mut self,
        arguments: &mut [Argument],
        globals: &mut [Value],
    ) -> Result<Outcome, Diagnostics> {
        let answer = self.executable.run(0, arguments, globals)?;
        if let Some(stopped) = self.executable.stopped(0, &answer) {
            return Err(stopped.into());
        }
        check_status(&self.name, answer.status, &answer.message)?;
        arguments.clone_from_slice(&answer.arguments);
        globals.clone_from_slice(&answer.globals);
        Ok(Outcome {
            result: answer.result,
            tape_bytes: answer.tape_bytes,
            tape: answer.tape,
        })
    }

    fn time(
        &mut self,
        arguments: &[Argument],
        globals: &[Value],
        calls: u64,
    ) -> Result<Duration, Diagnostics> {
        let (time, status) = self.executable.time(0, arguments, globals, calls)?;
        if status == 3 {
            // A timed call gives only its status; one more call tells the statement at which the program stopped.
            self.run(&mut arguments.to_vec(), &mut globals.to_vec())?;
        }
        check_status(&self.name, status, "")?;
        Ok(time)
    }
}
