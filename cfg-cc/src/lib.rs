//! Programs as C, compiled by the system's compiler and run as a process of their own.
//!
//! [`Executable::build`] writes the C of some routines (`cfg_back::c`), compiles it in a temporary folder and starts it;
//! [`Executable::run`] calls a routine with the arguments that a [`cfg_exec::Session`] would take, and returns what that
//! would leave. Nothing is loaded into this process.
//!
//! ```no_run
//! use cfg_cc::{Compiler, Executable};
//! use cfg_core::{entity::RoutineId, text, validate::validate};
//! use cfg_exec::Argument;
//!
//! let parsed = text::parse("subroutine f(in real x, out real y)\n  y := x*x\nend\n");
//! let program = validate(parsed.program.ok_or(parsed.problems)?)?;
//! let f = RoutineId::new(0);
//! let mut built = Executable::build(&[(&program, f)], &Compiler::default())?;
//! let answer = built.run(0, &[Argument::from(3.0), Argument::from(0.0)], &[])?;
//! assert_eq!(answer.arguments[1], Argument::from(9.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cells;
mod codes;

pub use codes::CODES;

use cells::{read_value, write_value};
use cfg_core::{
    diagnostic::{CodeInfo, Diagnostic, Diagnostics},
    entity::{GlobalId, RoutineId},
    ir::{Extent, Intent, Program, ScalarType, Variable},
    validate::ValidProgram,
};
use cfg_exec::{Argument, Value};
use std::{
    io::{Read, Write},
    path::PathBuf,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};
use tempfile::TempDir;

/// The compiler, and what it is called with.
#[derive(Clone, Debug)]
pub struct Compiler {
    /// The command: a path, or a name that is looked up.
    pub command: PathBuf,
    /// The flags, without those that name files.
    pub flags: Vec<String>,
}

impl Default for Compiler {
    /// `cc` with flags under which values are those of the executor, bit for bit.
    fn default() -> Self {
        let flags = ["-std=c99", "-O1", "-fno-builtin", "-ffp-contract=off"];
        Self {
            command: "cc".into(),
            flags: flags.map(str::to_owned).into(),
        }
    }
}

/// The interface of a routine that was compiled.
#[derive(Clone, Debug)]
struct Callable {
    name: String,
    parameters: Vec<Variable>,
    result: Option<ScalarType>,
    /// The globals that own storage, with their numbers of elements.
    globals: Vec<(Variable, usize)>,
}

/// What a call leaves.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// 0, or why the call failed: 1 no memory, 2 a limit, 4 a check.
    pub status: i64,
    /// The value of a function.
    pub result: Option<Value>,
    /// The arguments; those that the routine writes as it left them.
    pub arguments: Vec<Argument>,
    /// The globals that own storage, in the order of the program.
    pub globals: Vec<Value>,
}

/// Routines that were compiled, in a process that waits for calls.
#[derive(Debug)]
pub struct Executable {
    callables: Vec<Callable>,
    child: Child,
    input: Option<ChildStdin>,
    output: ChildStdout,
    /// True if it was written with checks, and the message of the last call.
    checks: bool,
    message: String,
    /// The folder of the executable, which goes when this does.
    _folder: TempDir,
}

impl Drop for Executable {
    fn drop(&mut self) {
        // The process ends with its input; one that hangs is ended. That it has ended already is no problem.
        drop(self.input.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn problem(code: &CodeInfo, message: String, help: &str) -> Diagnostics {
    Diagnostic::error(code, message, help).into()
}

fn callable(program: &Program, r: RoutineId) -> Callable {
    let routine = program.routine(r);
    let variable = |v| routine.variable(v).clone();
    let owners = program.globals.iter().filter(|g| g.overlay.is_none());
    let size = |g: &Variable| g.constant_size().and_then(|n| usize::try_from(n).ok());
    Callable {
        name: routine.name.clone(),
        parameters: routine.parameter_ids().map(variable).collect(),
        result: routine.result.map(|r| routine.variable(r).ty),
        globals: owners
            .map(|g| (g.variable.clone(), size(&g.variable).unwrap_or(0)))
            .collect(),
    }
}

impl Executable {
    /// Compiles routines, each of a program, and starts the process that runs them.
    ///
    /// # Errors
    /// What has no C, a compiler that is not there or complains, a process that cannot be started.
    pub fn build(
        programs: &[(&ValidProgram, RoutineId)],
        compiler: &Compiler,
    ) -> Result<Self, Diagnostics> {
        Self::build_with(programs, compiler, cfg_back::c::Options::default())
    }

    /// [`Self::build`] with options. With checks a program that fails gives status 4 and a [`Self::message`].
    ///
    /// # Errors
    /// What has no C, a compiler that is not there or complains, a process that cannot be started.
    pub fn build_with(
        programs: &[(&ValidProgram, RoutineId)],
        compiler: &Compiler,
        options: cfg_back::c::Options,
    ) -> Result<Self, Diagnostics> {
        let text = cfg_back::c::server_with(programs, options)?;
        let folder = tempfile::Builder::new()
            .prefix("cfgrev-cc-")
            .tempdir()
            .map_err(|e| no_folder(&e))?;
        let source = folder.path().join("program.c");
        let target = folder.path().join("program");
        std::fs::write(&source, text).map_err(|e| no_folder(&e))?;
        let command = compiler.command.display();
        let help = "install a C compiler, or name one with CC";
        let made = Command::new(&compiler.command)
            .args(&compiler.flags)
            .arg("-o")
            .args([&target, &source])
            .arg("-lm")
            .output()
            .map_err(|e| {
                problem(
                    &codes::COMPILER,
                    format!("`{command}` cannot be started: {e}"),
                    help,
                )
            })?;
        if !made.status.success() || !made.stderr.is_empty() {
            let said = String::from_utf8_lossy(&made.stderr);
            let message = format!(
                "`{command}` does not take what was written: {}",
                said.trim_end()
            );
            return Err(problem(
                &codes::REFUSED,
                message,
                "report it with the program, or use other flags",
            ));
        }
        let mut child = Command::new(&target)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| {
                problem(
                    &codes::PROCESS,
                    format!("what was compiled cannot be started: {e}"),
                    "allow programs to be run in the folder for temporary files",
                )
            })?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(problem(
                &codes::PROCESS,
                "the process has no input".into(),
                "try again",
            ));
        };
        Ok(Self {
            callables: programs
                .iter()
                .map(|(program, r)| callable(program, *r))
                .collect(),
            child,
            input: Some(input),
            output,
            checks: options.checks,
            message: String::new(),
            _folder: folder,
        })
    }

    /// Calls the routine of this position among those that were compiled. `globals` are the values of those that own
    /// storage, in the order of the program.
    ///
    /// # Errors
    /// Arguments or globals that do not fit, and a process that ends.
    pub fn run(
        &mut self,
        position: usize,
        arguments: &[Argument],
        globals: &[Value],
    ) -> Result<Answer, Diagnostics> {
        let Some(callable) = self.callables.get(position).cloned() else {
            let message = format!("no routine has position {position}");
            return Err(problem(
                &codes::ARGUMENT,
                message,
                "give one that was compiled",
            ));
        };
        let name = &callable.name;
        if arguments.len() != callable.parameters.len() || globals.len() != callable.globals.len() {
            let message = format!(
                "`{name}` takes {} arguments and {} globals, not {} and {}",
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
        for (variable, argument) in callable.parameters.iter().zip(arguments) {
            write_argument(&mut request, variable, argument, self.checks)?;
        }
        for ((variable, _), value) in callable.globals.iter().zip(globals) {
            write_value(&mut request, value, variable.order, self.checks);
        }
        let ended = |what: std::io::Error| {
            let message = format!("the process that runs `{name}` has ended: {what}");
            problem(
                &codes::PROCESS,
                message,
                "a program with run-time errors is run with the executor",
            )
        };
        let input = self
            .input
            .as_mut()
            .ok_or_else(|| ended(std::io::ErrorKind::BrokenPipe.into()))?;
        input
            .write_all(&request)
            .and_then(|()| input.flush())
            .map_err(ended)?;
        self.answer(&callable, arguments).map_err(ended)
    }

    /// What the last call says of its failure, with checks: the code and the place; empty if it has not failed.
    pub fn message(&self) -> &str {
        &self.message
    }

    fn answer(&mut self, callable: &Callable, arguments: &[Argument]) -> std::io::Result<Answer> {
        let mut status = [0; 8];
        self.output.read_exact(&mut status)?;
        self.message.clear();
        if self.checks {
            let mut length = [0; 8];
            self.output.read_exact(&mut length)?;
            let length = u64::try_from(i64::from_ne_bytes(length)).unwrap_or(0);
            let mut bytes = Vec::new();
            self.output.by_ref().take(length).read_to_end(&mut bytes)?;
            self.message = String::from_utf8_lossy(&bytes).into_owned();
        }
        let result = match callable.result {
            Some(ty) => Some(read_value(
                &mut self.output,
                ty,
                &[],
                cfg_core::ir::Order::Row,
                self.checks,
            )?),
            None => None,
        };
        let mut left = Vec::with_capacity(arguments.len());
        for (variable, argument) in callable.parameters.iter().zip(arguments) {
            let writes = variable.intent().is_some_and(Intent::writes);
            left.push(match argument {
                Argument::Value(value) if writes => {
                    let shape = value.shape();
                    let (ty, order) = (variable.ty, variable.order);
                    read_value(&mut self.output, ty, shape, order, self.checks)?.into()
                }
                other => other.clone(),
            });
        }
        let mut globals = Vec::with_capacity(callable.globals.len());
        for (variable, size) in &callable.globals {
            let shape: &[usize] = if variable.rank() == 0 { &[] } else { &[*size] };
            let (ty, order) = (variable.ty, variable.order);
            let value = read_value(&mut self.output, ty, shape, order, self.checks)?;
            globals.push(value);
        }
        Ok(Answer {
            status: i64::from_ne_bytes(status),
            result,
            arguments: left,
            globals,
        })
    }
}

fn no_folder(e: &std::io::Error) -> Diagnostics {
    problem(
        &codes::PROCESS,
        format!("there is no place for what is compiled: {e}"),
        "set TMPDIR to a folder that can be written",
    )
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
    /// The most dimensions that an argument has in a request.
    const DIMENSIONS: usize = 15;
    if variable.ty.is_tape() {
        return Ok(());
    }
    let mut extents = [0; DIMENSIONS];
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
    if let Some(value) = value {
        for (to, (dim, n)) in extents
            .iter_mut()
            .zip(variable.shape.iter().zip(value.shape()))
        {
            if dim.extent == Extent::Deferred {
                *to = *n as i64;
            }
        }
    }
    extents.iter().for_each(|n| put(request, *n));
    if let Some(value) = value {
        write_value(request, value, variable.order, checks);
    }
    Ok(())
}

/// The positions of the globals that own storage.
pub fn owners(program: &Program) -> Vec<GlobalId> {
    let ids = (0..program.globals.len()).map(GlobalId::new);
    ids.filter(|g| program.global(*g).overlay.is_none())
        .collect()
}
