//! One file per command.

mod bench;
mod check;
mod completions;
mod convert;
mod corpus;
mod dot;
mod explain;
mod gradient;
mod jacobian;
mod man;
mod many;
mod preaccumulate;
mod results;
mod reverse;
mod run;
mod schedule;
mod schema;
mod tangent;
mod validate;

use crate::Outcome;
use crate::args::{
    Command, Derivative, Emitted, EmittedDerivative, Engine, EngineName, Function, Heap, Limits,
    Math, Runtime, Select, Variables,
};
use crate::codes;
use crate::compiled;
use crate::input::Session;
pub(crate) use crate::input::Wanted;
use crate::output::{is_missing, problem};
use crate::physical_memory::half_of_memory;
use crate::points::Points;
use crate::report::Text;
use cfg_back::c::{TAPE_HEADER, tape_header};
use cfg_core::{
    diagnostic::{Diagnostics, similar::did_you_mean},
    entity::RoutineId,
    flat::Flat,
    ir::Program,
    memory::callgraph::CallGraph,
    validate::ValidProgram,
};
use cfg_drive::{PointText, Wishes};
use cfg_exec::{Restart, RunOptions};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Runs a command.
pub(crate) fn run(command: &Command, session: &Session) -> anyhow::Result<Outcome> {
    match command {
        Command::Validate(args) => validate::run(args, session),
        Command::Reverse(args) => reverse::run(args, session),
        Command::Tangent(args) => tangent::run(args, session),
        Command::Run(args) => run::run(args, session),
        Command::Gradient(args) => gradient::run(args, session),
        Command::Check(args) => check::run(args, session),
        Command::Jacobian(args) => jacobian::run(args, session),
        Command::Bench(args) => bench::run(args, session),
        Command::Preaccumulate(args) => preaccumulate::run(args, session),
        Command::Corpus(args) => corpus::run(args, session),
        Command::Convert(args) => convert::run(args, session),
        Command::Dot(args) => dot::run(args, session),
        Command::Schedule {
            steps,
            states,
            emit,
        } => schedule::run(*steps, *states, *emit),
        Command::Schema { of } => schema::run(*of),
        Command::Explain { code } => explain::run(code.as_deref()),
        Command::Completions { shell } => completions::run(*shell),
        Command::Man { output, force } => man::run(output.as_deref(), *force),
    }
}

/// The parts of the command line that front ends read: routine, independents, dependents.
fn wanted_parts(select: &Select, variables: Option<&Variables>) -> Wanted {
    let names = |list: Option<&Vec<String>>| list.cloned().unwrap_or_default();
    Wanted {
        routine: select.routine.clone(),
        independents: names(variables.and_then(|v| v.independent.as_ref())),
        dependents: names(variables.and_then(|v| v.dependent.as_ref())),
    }
}

/// The argument of --at.
#[derive(Clone, Copy, Debug)]
enum PointArgument<'a> {
    /// One point is wanted.
    One(&'a str),
    /// One point or many.
    Any(&'a str),
}

/// A flat program, and the text of the POINT at which it is run.
struct AtPoint {
    program: Flat,
    routine: RoutineId,
    text: Rc<Text>,
    /// The points, if there are many; the text is then that of the first.
    many: Option<Points>,
    /// The parameters that the point gives by `same_as`.
    same_as: Vec<String>,
}

/// The flat program of a source that a command works on, with the independents and dependents that are wanted, and
/// extents that declarations leave open.
fn prepare(
    args: &Function,
    sizes: &[String],
    session: &Session,
) -> anyhow::Result<(Flat, RoutineId)> {
    let read = load(args, session)?;
    let wishes = Wishes {
        sizes,
        ..wishes(&args.variables, args.heap, session)
    };
    flatten(read, &wishes, session)
}

/// The program of a source, and the routine that a command works on.
fn load(args: &Function, session: &Session) -> anyhow::Result<(ValidProgram, RoutineId)> {
    let program = session.load(
        &args.source,
        &wanted_parts(&args.select, Some(&args.variables)),
    )?;
    let routine = select_routine(&program, &args.select, session)?;
    Ok((program, routine))
}

/// The flat program that is made without a POINT, and the routine by which it is entered.
fn flatten(
    (program, routine): (ValidProgram, RoutineId),
    wishes: &Wishes<'_>,
    session: &Session,
) -> anyhow::Result<(Flat, RoutineId)> {
    let made = cfg_drive::prepare(program, routine, wishes, &cfg_drive::Options::default())?;
    session.made(&made.program);
    Ok((made.program, made.routine))
}

/// The flat program for a POINT.
fn prepare_at(
    (program, routine): (ValidProgram, RoutineId),
    wishes: Wishes<'_>,
    (point, limits): (PointArgument<'_>, &Limits),
    session: &Session,
) -> anyhow::Result<AtPoint> {
    let (text, many) = match point {
        PointArgument::One(point) => (session.read_value("POINT", point, false)?, None),
        PointArgument::Any(point) => session.read_points(point, limits.max_memory)?,
    };
    let point = PointText {
        name: &text.name,
        bytes: &text.bytes,
    };
    let wishes = Wishes {
        point: Some(point),
        // Of many points, each has extents of its own.
        size_result: wishes.size_result && many.is_none(),
        ..wishes
    };
    let made = cfg_drive::prepare(program, routine, &wishes, &library_options(limits, session));
    let made = made.map_err(|problems| match &many {
        Some(points) => points.name(0, problems),
        None => problems,
    })?;
    session.made(&made.program);
    Ok(AtPoint {
        program: made.program,
        routine: made.routine,
        text,
        many,
        same_as: made.same_as,
    })
}

/// The flat program of a source for derivatives at a POINT.
fn prepare_derivatives_at(
    args: &Function,
    sizes: &[String],
    point: (PointArgument<'_>, &Limits),
    session: &Session,
) -> anyhow::Result<AtPoint> {
    let read = load(args, session)?;
    let wishes = Wishes {
        sizes,
        size_result: true,
        ..wishes(&args.variables, args.heap, session)
    };
    prepare_at(read, wishes, point, session)
}

/// The options of the command line as wishes of the library.
fn wishes<'a>(variables: &'a Variables, heap: Heap, session: &Session) -> Wishes<'a> {
    // A reader that declares the variables has done so already.
    let done = session.language.get().declares_variables();
    Wishes {
        independents: variables.independent.as_deref().filter(|_| !done),
        dependents: variables.dependent.as_deref().filter(|_| !done),
        cells: heap.cells(),
        ..Wishes::default()
    }
}

/// The program with its records split into variables if an option needs that: C with checks, or in several
/// directions. Records that a caller passes stay, since the interface depends on them.
fn splittable(program: Flat, routine: RoutineId, options: &EmittedDerivative) -> Flat {
    let of = program.grouped().routine(routine);
    let is_record = |v| of.variable(v).ty.record().is_some();
    let are_passed = of.parameter_ids().chain(of.result).any(is_record);
    match are_passed || !(options.emitted.checks || options.directions.is_some()) {
        true => program,
        false => program.forget_records(),
    }
}

/// The header of the tape and its text, if it is to be written into the folder of emitted C.
fn tape_beside(
    emitted: &Emitted,
    folder: &Path,
    force: bool,
) -> anyhow::Result<Option<(PathBuf, String)>> {
    if emitted.runtime(true) != Runtime::File {
        return Ok(None);
    }
    let (path, text) = (folder.join(TAPE_HEADER), tape_header());
    Ok(is_missing(&path, force, &text)?.then_some((path, text)))
}

/// The routine that a command works on.
fn select_routine(
    program: &Program,
    select: &Select,
    session: &Session,
) -> anyhow::Result<RoutineId> {
    let names = |routines: &[RoutineId]| {
        let first = routines.iter().take(20);
        let mut names: Vec<&str> = first.map(|r| &*program.routine(*r).name).collect();
        if routines.len() > names.len() {
            names.push("...");
        }
        names.join(", ")
    };
    let all: Vec<RoutineId> = (0..program.routines.len()).map(RoutineId::new).collect();
    if let Some(name) = &select.routine {
        let found = session.language.get().find_routine(program, name);
        return found.ok_or_else(|| {
            problem(
                &codes::ROUTINE,
                format!("the program has no routine {name}"),
                did_you_mean(name, program.routines.iter().map(|r| &*r.name))
                    .unwrap_or_else(|| format!("its routines are {}", names(&all))),
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
            "add a routine to it",
        )),
        1 => Ok(RoutineId::new(0)),
        several => {
            // Candidates in a message: routines that no other calls come first; routines that are given derivatives
            // are left out.
            let callers = CallGraph::build(program).callers(&all);
            let derivatives: HashSet<RoutineId> = (program.routines.iter())
                .filter_map(|r| r.derivatives.as_deref())
                .flat_map(|d| [d.tangent, d.adjoint].into_iter().flatten())
                .collect();
            let is_called = |r: &RoutineId| callers[r.index()].iter().any(|caller| caller != r);
            let mut listed = all.clone();
            listed.retain(|r| !derivatives.contains(r));
            listed.sort_by_key(is_called);
            let mark = session.language.get().main_hint();
            Err(problem(
                &codes::ROUTINE,
                format!("the program has {several} routines, and none is marked as main"),
                format!("choose one with --routine: {}{mark}", names(&listed)),
            ))
        }
    }
}

/// The limits of runs, and whom they tell their progress.
fn run_options(limits: &Limits, session: &Session) -> RunOptions {
    let half = half_of_memory();
    RunOptions {
        fuel: limits.fuel,
        max_tape: limits.max_tape.unwrap_or(half / 2),
        max_memory: limits.max_memory.unwrap_or(half),
        max_depth: limits.max_depth,
        disk: limits.disk.clone(),
        restart: None,
        report: session.loop_report(),
    }
}

/// The options of the library, for the language of the program that has been read.
fn library_options(limits: &Limits, session: &Session) -> cfg_drive::Options {
    cfg_drive::Options {
        run: run_options(limits, session),
        native: session.native(EngineName::Auto),
        math: match limits.math {
            Math::Native => cfg_core::elemental::Math::Native,
            Math::Portable => cfg_core::elemental::Math::Portable,
        },
        events: limits.report_kinks,
        zero_dependents: session.language.get().zero_dependents(),
        ..cfg_drive::Options::default()
    }
}

/// The program, routine, options and POINT with which a command that evaluates derivatives at a point begins.
struct Prepared {
    program: Flat,
    routine: RoutineId,
    options: cfg_drive::Options,
    text: Rc<Text>,
    /// The points, if there are many; the text is then that of the first.
    many: Option<Points>,
}

/// Claims standard input for the argument that is `-`, reads the program and POINT, which may be `many` points, and
/// collects the options. A trace of vertices is asked for only if the engine can make one.
fn evaluation(
    args: &Derivative,
    others: &[(&'static str, Option<&str>)],
    (trace, many): (bool, bool),
    session: &Session,
) -> anyhow::Result<Prepared> {
    let Engine {
        restart,
        restart_seconds,
        ..
    } = &args.engine;
    let run = RunOptions {
        restart: (restart.clone()).map(|file| Restart::new(file, *restart_seconds)),
        ..run_options(&args.limits, session)
    };
    let engine = compiled::engine(&args.engine, (&args.limits, &run), trace)?;
    session.claim_all(&[
        ("FILE", args.function.source.standard_input()),
        ("POINT", Some(&args.at.point)),
    ])?;
    session.claim_all(others)?;
    let point = match many {
        true => PointArgument::Any(&args.at.point),
        false => PointArgument::One(&args.at.point),
    };
    let point = (point, &args.limits);
    let AtPoint {
        program,
        routine,
        text,
        many,
        same_as,
    } = prepare_derivatives_at(&args.function, &[], point, session)?;
    let options = cfg_drive::Options {
        reversal: cfg_reverse::Options {
            restarts: args.engine.restart.is_some(),
            ..reverse::options(args.reversal)
        },
        engine,
        native: session.native(args.engine.engine),
        same_as,
        run,
        ..library_options(&args.limits, session)
    };
    Ok(Prepared {
        program,
        routine,
        options,
        text,
        many,
    })
}

/// Assigns problems of a POINT, SEED or direction to the text of that argument.
fn in_text(text: &Text) -> impl Fn(Diagnostics) -> Diagnostics + '_ {
    |problems| cfg_drive::in_text(&text.name, problems)
}
