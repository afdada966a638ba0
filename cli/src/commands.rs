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
mod preaccumulate;
mod results;
mod reverse;
mod run;
mod schema;
mod tangent;
mod validate;

use crate::Outcome;
use crate::args::{
    Command, Derivative, EmittedDerivative, Function, Heap, Language, Limits, Math, Select, Source,
    Variables,
};
use crate::codes;
use crate::compiled;
use crate::input::Session;
pub(crate) use crate::input::Wanted;
use crate::output::problem;
use crate::physical_memory::half_of_memory;
use crate::report::Text;
use cfg_core::{
    diagnostic::{Diagnostics, similar::did_you_mean},
    entity::{GlobalId, RoutineId},
    ir::Program,
    memory::callgraph::CallGraph,
    validate::ValidProgram,
};
use std::collections::HashSet;
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
        Command::Schema { of } => schema::run(*of),
        Command::Explain { code } => explain::run(code.as_deref()),
        Command::Completions { shell } => completions::run(*shell),
        Command::Man { output, force } => man::run(output.as_deref(), *force),
    }
}

/// The parts of the command line that readers need to know.
fn wanted(select: &Select, variables: Option<&Variables>) -> Wanted {
    let names = |list: Option<&Vec<String>>| list.cloned().unwrap_or_default();
    Wanted {
        routine: select.routine.clone(),
        independents: names(variables.and_then(|v| v.independent.as_ref())),
        dependents: names(variables.and_then(|v| v.dependent.as_ref())),
    }
}

/// A program at a point: without pointers, and the routine by which it is entered.
struct AtPoint {
    program: ValidProgram,
    routine: RoutineId,
    text: Rc<Text>,
    /// The parameters that the point gives by `same_as`.
    same_as: Vec<String>,
}

/// A valid program, the routine to work on, and the text of a POINT.
fn load(
    source: &Source,
    select: &Select,
    heap: Heap,
    (point, limits): (&str, &Limits),
    session: &Session,
) -> anyhow::Result<AtPoint> {
    let program = session.load(source, &wanted(select, None))?;
    let routine = self::select(&program, select, session)?;
    at_point((program, routine), heap, (point, limits), session)
}

/// The program without pointers for a point.
fn at_point(
    (program, routine): (ValidProgram, RoutineId),
    heap: Heap,
    (point, limits): (&str, &Limits),
    session: &Session,
) -> anyhow::Result<AtPoint> {
    let text = session.read_value("POINT", point, false)?;
    let options = options(limits, session);
    let given = cfg_drive::given(program, routine, &text.bytes, &options);
    let (program, routine) = given.map_err(in_text(&text))?;
    let joined = cfg_drive::same_as(&program, routine, &text.bytes, &options);
    let (program, routine, same_as) = match joined.map_err(in_text(&text))? {
        None => {
            let (program, routine) = lowered(program, routine, heap, session)?;
            (program, routine, Vec::new())
        }
        Some(joined) => {
            let original = program.into_program();
            let (made, routine) = lower(&joined.program, joined.routine, heap)?;
            session.lowers(original, made.program().clone());
            (made, routine, joined.names)
        }
    };
    Ok(AtPoint {
        program,
        routine,
        text,
        same_as,
    })
}

/// The program of [`at_point`], for derivatives: a result has the extents that it has at the point.
fn sized_at_point(
    wished: (ValidProgram, RoutineId),
    heap: Heap,
    point: (&str, &Limits),
    session: &Session,
) -> anyhow::Result<AtPoint> {
    let AtPoint {
        program,
        routine,
        text,
        same_as,
    } = at_point(wished, heap, point, session)?;
    let options = cfg_drive::Options {
        same_as,
        ..options(point.1, session)
    };
    let program = cfg_drive::size_result(program, routine, &options, |primal| {
        primal.point(&text.bytes).map_err(in_text(&text))
    })?;
    Ok(AtPoint {
        program,
        routine,
        text,
        same_as: options.same_as,
    })
}

/// The program without pointers, and the routine by which it is entered then.
fn lowered(
    program: ValidProgram,
    routine: RoutineId,
    heap: Heap,
    session: &Session,
) -> Result<(ValidProgram, RoutineId), Diagnostics> {
    if !program.has_pointers() {
        return Ok((program, routine));
    }
    let (made, routine) = lower(&program, routine, heap)?;
    session.lowers(program.into_program(), made.program().clone());
    Ok((made, routine))
}

/// A program without its pointers, and the routine of the same name there.
fn lower(
    program: &ValidProgram,
    routine: RoutineId,
    heap: Heap,
) -> Result<(ValidProgram, RoutineId), Diagnostics> {
    let name = &program.routine(routine).name;
    let made = cfg_transform::pools::lower(program, &[routine], heap.cells())?;
    let routine = made.find_routine(name).unwrap_or(routine);
    Ok((made, routine))
}

/// A valid program and the routine to differentiate, with the independents and dependents that are wanted.
fn prepare(args: &Function, session: &Session) -> anyhow::Result<(ValidProgram, RoutineId)> {
    let (program, routine) = wished(args, session)?;
    Ok(lowered(program, routine, args.heap, session)?)
}

/// A valid program, which may have pointers, and the routine to differentiate, with the independents and dependents that are wanted.
fn wished(args: &Function, session: &Session) -> anyhow::Result<(ValidProgram, RoutineId)> {
    let wanted = wanted(&args.select, Some(&args.variables));
    let program = session.load(&args.source, &wanted)?;
    declare(args, program, session)
}

/// The routine to differentiate, with the independents and dependents that are wanted.
fn declare(
    args: &Function,
    program: ValidProgram,
    session: &Session,
) -> anyhow::Result<(ValidProgram, RoutineId)> {
    let (select, variables) = (&args.select, &args.variables);
    let routine = self::select(&program, select, session)?;
    // The reader of XAIF has done it.
    let done = session.language.get() == Language::Xaif;
    if done || variables.independent.is_none() && variables.dependent.is_none() {
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

/// The program for C with checks, or in several directions, for which records are split: they are where no caller passes one. Without
/// these options, which there are for C only, it stays.
fn splittable(
    program: ValidProgram,
    routine: RoutineId,
    options: &EmittedDerivative,
) -> anyhow::Result<ValidProgram> {
    let of = program.routine(routine);
    let is_record = |v| of.variable(v).ty.record().is_some();
    let are_passed = of.parameter_ids().chain(of.result).any(is_record);
    if are_passed || !(options.emitted.checks || options.directions) {
        return Ok(program);
    }
    Ok(cfg_transform::records::without_records(&program)?.into_owned())
}

/// The program with extents of the routine that its declarations leave open.
fn sized(
    program: ValidProgram,
    routine: RoutineId,
    sizes: &[String],
) -> anyhow::Result<ValidProgram> {
    if sizes.is_empty() {
        return Ok(program);
    }
    let mut program = program.into_program();
    cfg_drive::give_sizes(&mut program, routine, sizes)?;
    Ok(cfg_core::validate::validate(program)?)
}

/// The routine that a command works on.
fn select(program: &Program, select: &Select, session: &Session) -> anyhow::Result<RoutineId> {
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
        let found = match session.language.get() {
            Language::Json | Language::Text => program.find_routine(name),
            // The reader knows the names that macros make others of.
            Language::C => program.find_routine(name).or(program.main),
            Language::Xaif => cfg_front::xaif::find_routine(program, name),
        };
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
            // What no other calls is named first, and derivatives that the program gives are not meant.
            let callers = CallGraph::of(program).callers(&all);
            let derivatives: HashSet<RoutineId> = (program.routines.iter())
                .filter_map(|r| r.derivatives.as_deref())
                .flat_map(|d| [d.tangent, d.adjoint].into_iter().flatten())
                .collect();
            let is_called = |r: &RoutineId| callers[r.index()].iter().any(|caller| caller != r);
            let mut listed = all.clone();
            listed.retain(|r| !derivatives.contains(r));
            listed.sort_by_key(is_called);
            let mark = match session.language.get() {
                Language::C | Language::Xaif => "",
                Language::Json | Language::Text => {
                    "; or mark it in the file, as `main subroutine ...` in the text form, with \"main\": NAME in JSON"
                }
            };
            Err(problem(
                &codes::ROUTINE,
                format!("the program has {several} routines, and none is marked as main"),
                format!("choose one with --routine: {}{mark}", names(&listed)),
            ))
        }
    }
}

/// The options of the library.
fn options(limits: &Limits, session: &Session) -> cfg_drive::Options {
    let half = half_of_memory();
    cfg_drive::Options {
        run: cfg_exec::RunOptions {
            fuel: limits.fuel,
            max_tape: limits.max_tape.unwrap_or(half / 2),
            max_memory: limits.max_memory.unwrap_or(half),
            max_depth: limits.max_depth,
        },
        math: match limits.math {
            Math::Native => cfg_core::elemental::Math::Native,
            Math::Portable => cfg_core::elemental::Math::Portable,
        },
        events: limits.report_kinks,
        zero_dependents: session.language.get() == Language::Xaif,
        ..cfg_drive::Options::default()
    }
}

/// The program, routine, options and POINT with which a command that evaluates derivatives at a point begins.
struct Prepared {
    program: ValidProgram,
    routine: RoutineId,
    options: cfg_drive::Options,
    text: Rc<Text>,
}

/// Claims standard input for FILE, POINT or what else may want it, reads the program and POINT, and collects the
/// options. Vertices are recorded only if the engine can.
fn evaluation(
    args: &Derivative,
    others: &[(&'static str, Option<&str>)],
    trace: bool,
    session: &Session,
) -> anyhow::Result<Prepared> {
    let engine = compiled::engine(&args.engine, &args.limits, trace)?;
    session.claim_all(&[
        ("FILE", args.function.source.standard_input()),
        ("POINT", Some(&args.at.point)),
    ])?;
    session.claim_all(others)?;
    let wished = wished(&args.function, session)?;
    let point = (&*args.at.point, &args.limits);
    let AtPoint {
        program,
        routine,
        text,
        same_as,
    } = sized_at_point(wished, args.function.heap, point, session)?;
    let options = cfg_drive::Options {
        reversal: reverse::options(args.reversal),
        engine,
        same_as,
        ..options(&args.limits, session)
    };
    Ok(Prepared {
        program,
        routine,
        options,
        text,
    })
}

/// Problems of a POINT, SEED or direction are in that text.
fn in_text(text: &Text) -> impl Fn(Diagnostics) -> Diagnostics + '_ {
    |mut problems| {
        for d in &mut problems.0 {
            if d.at.pointer.is_some() || d.at.line.is_some() {
                d.at.file = Some(text.name.clone());
            }
        }
        problems
    }
}

/// Derivatives in several directions for the C back end, in the program that has them.
fn several(
    program: Program,
    routines: &[RoutineId],
    globals: &[GlobalId],
) -> Result<(Program, Vec<cfg_back::c::Several>), Diagnostics> {
    let (program, made) = cfg_reverse::directions(program, routines, globals)?;
    let of = |made: cfg_reverse::InDirections| cfg_back::c::Several {
        routine: made.routine,
        count: made.count,
        globals: made.globals,
    };
    Ok((program, made.into_iter().map(of).collect()))
}

/// Writes a program as XAIF, with a variable for each field of its records.
fn write_xaif(program: &Program, out: impl std::io::Write) -> std::io::Result<()> {
    if !program.has_record_variables() {
        return cfg_front::xaif::write_xaif(program, out);
    }
    let valid = cfg_core::validate::validate(program.clone());
    let split = valid.and_then(|valid| cfg_transform::records::split(&valid));
    let split = split.map_err(std::io::Error::other)?;
    cfg_front::xaif::write_xaif(split.program(), out)
}
