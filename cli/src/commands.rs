//! One file per command.

mod completions;
mod convert;
mod dot;
mod explain;
mod man;
mod reverse;
mod schema;
mod tangent;
mod validate;

use crate::Outcome;
use crate::args::{Command, Select, Source, Variables};
use crate::codes;
use crate::input::Session;
use crate::output::problem;
use cfg_core::{entity::RoutineId, ir::Program, validate::ValidProgram};

/// Runs a command.
pub(crate) fn run(command: &Command, session: &Session) -> anyhow::Result<Outcome> {
    match command {
        Command::Validate(args) => validate::run(args, session),
        Command::Reverse(args) => reverse::run(args, session),
        Command::Tangent(args) => tangent::run(args, session),
        Command::Convert(args) => convert::run(args, session),
        Command::Dot(args) => dot::run(args, session),
        Command::Schema => schema::run(),
        Command::Explain { code } => explain::run(code.as_deref()),
        Command::Completions { shell } => completions::run(*shell),
        Command::Man { output, force } => man::run(output.as_deref(), *force),
    }
}

/// A valid program and the routine to differentiate, with the independents and dependents that are
/// wanted.
fn prepare(
    source: &Source,
    select: &Select,
    variables: &Variables,
    session: &Session,
) -> anyhow::Result<(ValidProgram, RoutineId)> {
    let program = session.load(source)?;
    let routine = self::select(&program, select)?;
    if variables.independent.is_none() && variables.dependent.is_none() {
        return Ok((program, routine));
    }
    let mut program = program.into_program();
    cfg_drive::declare(
        &mut program,
        routine,
        variables.independent.as_deref(),
        variables.dependent.as_deref(),
    )?;
    Ok((cfg_core::validate::validate(program)?, routine))
}

/// The routine that a command works on.
fn select(program: &Program, select: &Select) -> anyhow::Result<RoutineId> {
    let names = || {
        let mut names: Vec<&str> = program.routines.iter().map(|r| &*r.name).take(20).collect();
        if program.routines.len() > names.len() {
            names.push("...");
        }
        names.join(", ")
    };
    if let Some(name) = &select.routine {
        return program.find_routine(name).ok_or_else(|| {
            problem(
                &codes::ROUTINE,
                format!("the program has no routine {name}"),
                format!("its routines are {}", names()),
            )
        });
    }
    if let Some(main) = program.main {
        return Ok(main);
    }
    match program.routines.len() {
        0 => Err(problem(
            &codes::ROUTINE,
            "the program has no routines",
            "add a routine to \"routines\"",
        )),
        1 => Ok(RoutineId::new(0)),
        several => Err(problem(
            &codes::ROUTINE,
            format!("the program has {several} routines, and none is marked as main"),
            format!("choose one with --routine: {}", names()),
        )),
    }
}
