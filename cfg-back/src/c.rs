//! Programs as C99.
//!
//! Every program has a form in C: one file without a library of its own, in which scalars are scalars, arrays are
//! pointers to their first element in storage order, loops and branches are C's own, and array statements are loops.
//! The values are those of the executor with C's mathematical library, bit for bit where the compiler keeps to the
//! standard.
//!
//! | function | what it writes |
//! |---|---|
//! | [`program`] | each routine as a function with its own parameters |
//! | [`adjoint`] | NAME_fwd, NAME_rev and NAME_grad of a reversed program |
//! | [`tangent`] | NAME_t of a tangent program |
//!
//! ```
//! use cfg_core::{flat::Flat, validate::validate};
//! use cfg_format::text;
//!
//! let parsed = text::parse("
//! function norm(in integer n, in real x[n]) result real r
//!   local integer i
//!   r := 0.0
//!   for i = 1, n
//!     r := r + x[i]*x[i]
//!   end
//!   r := sqrt(r)
//! end
//! ");
//! let program = Flat::check(validate(parsed.program.ok_or(parsed.problems)?)?)?;
//! let c = cfg_back::c::program(&program)?;
//! assert!(c.contains("r += x[i - 1] * x[i - 1];"), "{c}");
//! # Ok::<(), cfg_core::diagnostic::Diagnostics>(())
//! ```
//!
//! | file | what |
//! |---|---|
//! | `file`, `functions` | the state of a file and what stands before the functions; their order |
//! | `routine`, `body`, `jumps` | one function: declarations, loops and branches; those of graphs that do not nest, with breaks and jumps |
//! | `statement`, `call`, `array` | statements; array statements as loops |
//! | `returned`, `gaps` | arrays that functions return; elements with gaps that are passed on |
//! | `expression`, `operators`, `amount` | scalars; offsets of elements |
//! | `lines`, `fold` | statements, which become text last; lines that are too long |
//! | `blocks`, `repeated`, `coalesced`, `scoped` | blocks of statements: what is assigned twice, copies that share a name, where variables are declared |
//! | `widened` | integers that are converted to fewer bits and back |
//! | `parameters`, `adapter`, `apart`, `added`, `choice` | the table of what callers pass, and how each is handed on; cells that they may not share; adjoints that may; the choice of a version by what they share |
//! | `interface`, `sweep`, `plain`, `original`, `about` | the functions for callers in other files, and comments for these |
//! | `structs`, `handing`, `records`, `structures`, `members`, `whole` | records as structures of callers, their fields as arguments; records as structures inside of the file |
//! | `checks`, `forget`, `faults` | what is checked where the program may go wrong; codes and messages |
//! | `origins`, `traced` | comments and `#line`: the statements of the original that code comes from |
//! | `runtime`, `globals`, `global_classes`, `global_names`, `names` | the tape; globals, and structures of their derivatives; identifiers |

mod about;
mod adapter;
mod added;
mod amount;
mod apart;
mod array;
mod blocks;
mod body;
mod call;
mod carried;
mod checks;
mod choice;
mod coalesced;
pub mod codes;
mod disk;
mod driver;
mod expression;
mod faults;
mod file;
mod fold;
mod forget;
mod functions;
mod gaps;
mod global_classes;
mod global_names;
mod globals;
mod handing;
mod held;
mod inlined;
mod interface;
mod jammed;
mod jumps;
mod linear;
mod lines;
mod markers;
mod members;
mod names;
mod operators;
mod original;
mod origins;
mod outside;
mod parameters;
mod passed;
mod plain;
mod pooled;
mod prologue;
mod records;
mod repeated;
mod restart;
mod results;
mod returned;
mod routine;
mod runtime;
mod scalar_loops;
mod scoped;
mod stack;
mod statement;
mod structs;
mod structures;
mod sweep;
mod tops;
mod traced;
mod unread;
mod unrolled;
mod used_cells;
mod variable;
mod whole;
mod widened;
mod writer;

pub use choice::Apart;
pub use faults::FAULTS;
pub use runtime::{TAPE_HEADER, tape_header};

use cfg_core::{
    diagnostic::{Diagnostic, Diagnostics},
    entity::{GlobalId, RoutineId, VarId},
    flat::{Flat, Parts},
    ir::{CHead, NameRole, ParameterRole, Program, Routine, Signature},
    validate::ValidProgram,
};
use choice::{can_choose, in_directions};
use file::{File, FunctionNames, Stops};
use global_names::GlobalNames;
use names::Names;
use operators::{Piece, Pieces};
use origins::Origins;
use pooled::Pooled;
use records::Records;
use std::collections::{BTreeSet, HashSet};
use structs::Structs;
use sweep::{Called, Sweep};

/// The reason for which something has no C.
type Failed = Box<Diagnostic>;
/// What is written, or the reason for which it cannot be.
type Emitted<T> = Result<T, Failed>;

/// The functions of an adjoint file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Functions {
    /// The gradient and the sweeps.
    #[default]
    All,
    /// NAME_grad.
    Gradient,
    /// NAME_fwd and NAME_rev.
    Sweeps,
}

impl Functions {
    fn has(self, sweep: Sweep) -> bool {
        match sweep {
            Sweep::Gradient => self != Self::Sweeps,
            Sweep::Forward | Sweep::Reverse => self != Self::Gradient,
            Sweep::Tangent => true,
        }
    }
}

/// What is written besides the program itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Subscripts, shapes, integers and values that were never set are checked: functions return 4 where the executor
    /// ends a run, and the tape has a message with the executor's code and the place.
    pub checks: bool,
    /// A header is written: the declarations of the functions that callers use, and of what these take.
    pub header: bool,
    /// All of the program's globals are declared, not defined: each is a variable of another file, by its own name. In
    /// a file of derivatives those are of which the source says so.
    pub extern_globals: bool,
    /// A file of derivatives has the original, too, under its own name, and so stands in for the file that it is in.
    pub replace: bool,
    /// Comments say from which statement of the original code comes.
    pub origins: bool,
    /// `#line` says so of statements that have a place in one of the program's sources.
    pub lines: bool,
    /// Callers promise that nothing that they give shares cells: adjoints that share cells are not looked for.
    pub apart: bool,
    /// The tape is included, from [`TAPE_HEADER`]; else the file has what it uses of it.
    pub included: bool,
    /// All static functions have names that begin with that of the original: files that have functions of one name can
    /// be included together.
    pub prefix: bool,
    /// The functions that an adjoint file has for callers.
    pub functions: Functions,
}

/// The routines of a reversed program.
#[derive(Clone, Copy, Debug)]
pub struct Adjoint {
    /// The routine that was reversed.
    pub original: RoutineId,
    /// Its forward sweep.
    pub forward: RoutineId,
    /// Its reverse sweep.
    pub reverse: RoutineId,
    /// The routine that runs the forward and the reverse sweep.
    pub gradient: RoutineId,
}

/// The number of directions of a routine in several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// As many as this parameter says.
    Parameter(VarId),
    /// As many as this.
    Fixed(u32),
}

/// A routine in several directions, NAME_v.
#[derive(Clone, Debug)]
pub struct Several {
    /// The routine.
    pub routine: RoutineId,
    /// The number of directions.
    pub count: Count,
    /// Its parameters in place of derivatives in globals, and which those are.
    pub globals: Vec<(VarId, GlobalId)>,
}

fn problems(found: Vec<Failed>) -> Diagnostics {
    let mut problems = Diagnostics::default();
    found
        .into_iter()
        .for_each(|problem| problems.push(*problem));
    problems
}

/// The names of the functions. In a file of derivatives, where they are static, copies of the program's own have a
/// prefix: the file may be included in that program. With `all`, each has it: another file, in which others are called
/// so, may be included, too.
fn function_names(
    names: &mut Names,
    program: &Program,
    prefix: Option<(&str, bool)>,
) -> Vec<FunctionNames> {
    // Those that others may call come first.
    let plain: Vec<String> = program
        .routines
        .iter()
        .map(|r| match prefix {
            Some((prefix, all)) if all || r.origin.is_none() => {
                names.fresh(&format!("{prefix}_{}", r.name), None)
            }
            Some(_) | None => names.fresh(&r.name, None),
        })
        .collect();
    let all = |plain: String| FunctionNames {
        inner: if prefix.is_none() {
            names.fresh(&format!("{plain}_body"), None)
        } else {
            plain.clone()
        },
        strided: names.fresh(&format!("{plain}_strided"), None),
        plain,
    };
    plain.into_iter().map(all).collect()
}

/// Functions of several programs, and what goes with them, as one file.
#[derive(Default)]
struct Bundle {
    names: Names,
    pieces: Pieces,
    origins: Origins,
    text: String,
    /// Functions that serve requests.
    drivers: Vec<String>,
    /// The declarations of functions for callers in other files, and of globals.
    declared: Vec<String>,
    globals: String,
    options: Options,
}

impl Bundle {
    fn new(options: Options) -> Self {
        Self {
            names: Names::of_file(),
            pieces: Pieces::new(options.checks),
            origins: Origins::new(options.origins, options.lines),
            options,
            ..Self::default()
        }
    }

    /// Adds all routines of a program as functions for callers in other files.
    fn add(&mut self, program: &Flat, driven: Option<RoutineId>) -> Result<(), Diagnostics> {
        // A program that serves requests has no callers that pass structures.
        let outside = match driven {
            Some(_) => None,
            None => records(program, self.options)?,
        };
        match driven {
            // It calls none of them, so that their names say nothing.
            Some(_) => outside::refuse(program)?,
            None => outside::reserve(&mut self.names, program)?,
        }
        if Pooled::any(program) {
            self.pieces.may_lead_outside();
        }
        let function_names = function_names(&mut self.names, program, None);
        let main = program.main.map_or("program", |r| &program.routine(r).name);
        let mut globals = GlobalNames::new(&mut self.names, main, self.options.checks);
        let structs = outside.map(|(p, parts)| Structs::build(p, parts, globals.tags()));
        if self.options.extern_globals {
            let how = (true, self.options.checks);
            globals.make_external(program, structs.as_ref(), &mut self.names, how)?;
        }
        let driver = self.names.fresh("serve", None);
        let wanted: Vec<RoutineId> = match driven {
            Some(r) => vec![r],
            None => (0..program.routines.len()).map(RoutineId::new).collect(),
        };
        let names = std::mem::take(&mut self.names);
        let mut file = File::new(
            program,
            names,
            function_names,
            &[],
            &globals.variables,
            self.options.checks,
        );
        file.public = driven.is_none();
        if driven.is_some() {
            file.stops = Stops::Place;
        }
        if let (Some(structs), Some((_, parts))) = (&structs, program.records()) {
            let entries: Vec<_> = wanted.iter().map(|&r| (r, None)).collect();
            file.records = Records::find(program, structs, parts, &entries);
        }
        file.structs = structs;
        let structs = file
            .structs
            .as_ref()
            .map_or_else(String::new, Structs::text);
        file.origins = std::mem::take(&mut self.origins).into();
        let mut functions =
            functions::functions(&file, program, &wanted, &mut self.pieces).map_err(problems)?;
        let own = |r: &RoutineId| !outside::is_outside(program.routine(*r));
        let mut declared = Vec::new();
        for r in wanted.into_iter().filter(|_| driven.is_none()).filter(own) {
            let name = file.plain_name(r).to_owned();
            let head = plain::public(&file, r, &name, &mut functions)
                .map_err(|problem| problems(vec![problem]))?;
            declared.push(head);
        }
        let access = file.public.then_some(&*globals.tag);
        self.text.push_str(&structs);
        self.globals.push_str(&structs);
        (self.text).push_str(&globals.text(&file, access, &mut self.pieces));
        self.globals.push_str(&globals.header(&file));
        if !declared.is_empty() {
            self.text += &format!("{}\n", file::declarations(&declared));
            self.declared.extend(declared);
        }
        self.text.push_str(&functions);
        if let Some(text) = driven.and_then(|r| driver::function(&file, r, &driver)) {
            self.text.push_str(&text);
            self.drivers.push(driver);
        }
        self.origins = file.origins.into_inner();
        self.names = file.names;
        Ok(())
    }
}

/// Lines of sources can only be named if there are some.
fn sources_of(origins: &Origins) -> Result<(), Diagnostics> {
    if origins.lines && !origins.has_sources() {
        let code = &codes::SOURCES;
        let message = "nothing that is written as C has a place in a source";
        return Err(Diagnostic::error(code, message, code.explanation).into());
    }
    Ok(())
}

/// All routines of a program as functions that other files can call. A function that may fail, because there is no
/// memory or a check fails, returns 0 or a status; the value of a function goes through a last pointer then. One that
/// cannot fail returns its value. An array always goes through a last pointer.
///
/// # Errors
/// A construct has no C ([`codes`]); the problem has its place in the program.
pub fn program(program: &Flat) -> Result<String, Diagnostics> {
    program_with(program, Options::default())
}

/// [`program`] with options. With checks every function may fail, and has a last parameter: a tape for the message,
/// which may be null.
///
/// # Errors
/// A construct has no C ([`codes`]); the problem has its place in the program.
pub fn program_with(program: &Flat, options: Options) -> Result<String, Diagnostics> {
    let mut bundle = Bundle::new(options);
    let main = program.main.map(|r| &*program.routine(r).name);
    bundle.origins.file = format!("{}.c", main.unwrap_or("program"));
    bundle.add(program, None)?;
    let title = "Written by cfgrev.";
    if options.header {
        return Ok(file::header(
            title,
            options.included,
            &bundle.globals,
            &bundle.declared,
        ));
    }
    sources_of(&bundle.origins)?;
    let file = file::whole(
        title,
        options.included,
        &bundle.pieces,
        &bundle.origins,
        &bundle.text,
    );
    Ok(file)
}

/// A whole C program that calls one routine of each program on request: it reads from standard input the number of the
/// program and the arguments of the routine, and writes what that leaves to standard output, until the input ends. All
/// in the machine's own form of numbers, as the head of `driver.rs` says. What goes on tapes is counted only if
/// `counting` is set: it takes time. The message follows the status: its length, and its bytes. Without checks it is
/// empty, but for status 3: the program stopped at the statement whose routine, vertex and position are the three
/// numbers in it.
///
/// # Errors
/// A construct has no C ([`codes`]); the problem has its place in the program.
pub fn server(
    programs: &[(&Flat, RoutineId)],
    options: Options,
    counting: bool,
) -> Result<String, Diagnostics> {
    let mut bundle = Bundle::new(options);
    bundle.pieces.include("stdio.h");
    bundle.pieces.include("string.h");
    bundle.pieces.include("signal.h");
    bundle.pieces.include("time.h");
    (driver::LOCALS.iter()).for_each(|name| bundle.names.reserve(name));
    for (program, routine) in programs {
        bundle.add(program, Some(*routine))?;
    }
    let mut serve = driver::head().to_owned();
    if counting {
        serve.push('\n');
        serve.push_str(&driver::counting(bundle.pieces.has(Piece::Disk)));
    }
    let main = driver::main(&bundle.drivers);
    let text = format!("{serve}\n{}{main}", bundle.text);
    let first = driver::first();
    bundle.origins.before = first.lines().count();
    bundle.origins.file = "server.c".to_owned();
    let title = "Written by cfgrev.";
    let file = file::whole(
        title,
        options.included,
        &bundle.pieces,
        &bundle.origins,
        &text,
    );
    Ok(format!("{first}{file}"))
}

/// The sweeps of a reversed program, with the interface that docs/c-out.md describes.
///
/// # Errors
/// A construct has no C ([`codes`]); the problem has its place in the program.
pub fn adjoint(program: &Flat, routines: Adjoint) -> Result<String, Diagnostics> {
    adjoint_with(program, routines, Options::default())
}

/// [`adjoint`] with options.
///
/// # Errors
/// A construct has no C ([`codes`]); the problem has its place in the program.
pub fn adjoint_with(
    program: &Flat,
    routines: Adjoint,
    options: Options,
) -> Result<String, Diagnostics> {
    adjoint_in_directions(program, routines, None, options)
}

/// [`adjoint_with`] with NAME_rev_v and NAME_grad_v, the reverse sweep and the gradient in several directions.
///
/// # Errors
/// A construct has no C ([`codes`]); the problem has its place in the program.
pub fn adjoint_in_directions(
    program: &Flat,
    routines: Adjoint,
    several: Option<&[Several; 2]>,
    options: Options,
) -> Result<String, Diagnostics> {
    adjoint_in_versions(program, routines, several, None, options)
}

/// [`adjoint_in_directions`] whose functions call the version `apart` if a test at the entry finds that no arguments
/// overlap. Where no test can tell, because the sizes of arguments are computed or pointers are values, there is one
/// version.
///
/// # Errors
/// A construct has no C ([`codes`]); the problem has its place in the program.
pub fn adjoint_in_versions(
    program: &Flat,
    routines: Adjoint,
    several: Option<&[Several; 2]>,
    apart: Option<Apart<'_, 2>>,
    options: Options,
) -> Result<String, Diagnostics> {
    let outside = records(program, options)?;
    let Adjoint {
        original,
        forward,
        reverse,
        gradient,
    } = routines;
    let one = |routine, sweep, k: usize| Called {
        routine,
        sweep,
        several: None,
        apart: apart.and_then(|of| of.routines.get(k).copied()),
    };
    let mut sweeps = vec![
        (one(forward, Sweep::Forward, 0), "fwd"),
        (one(reverse, Sweep::Reverse, 1), "rev"),
        (one(gradient, Sweep::Gradient, 2), "grad"),
    ];
    if let Some(all) = several {
        let kinds = [(Sweep::Reverse, "rev_v"), (Sweep::Gradient, "grad_v")];
        for (k, (several, (sweep, suffix))) in all.iter().zip(kinds).enumerate() {
            sweeps.push((in_directions(program, several, sweep, apart, k), suffix));
        }
    }
    let gradients = sweeps.iter().map(|(called, _)| called);
    let gradients = gradients.filter(|called| called.sweep == Sweep::Gradient);
    let gradients = gradients.flat_map(|called| [Some(called.routine), called.apart]);
    // The gradient's own tape is the caller's.
    let mut own_tapes = Vec::new();
    for r in gradients.flatten() {
        let mut variables = program.routine(r).variables.iter();
        own_tapes.extend(
            variables
                .position(|v| v.ty.is_tape())
                .map(|v| (r, VarId::new(v))),
        );
    }
    let result = program.routine(original).result;
    let keeps_result = result.is_some_and(|r| {
        if program.routine(original).variable(r).rank() > 0 {
            return false;
        }
        let signature = Signature::from_origins(program, reverse);
        signature.position(ParameterRole::Primal(r)).is_some()
    });
    let tapes = (&*own_tapes, keeps_result);
    derivative((program, outside), original, &sweeps, tapes, options)
}

/// The tangent of a routine, with the interface that docs/c-out.md describes.
///
/// # Errors
/// A construct has no C ([`codes`]); the problem has its place in the program.
pub fn tangent(
    program: &Flat,
    original: RoutineId,
    tangent: RoutineId,
) -> Result<String, Diagnostics> {
    tangent_with(program, original, tangent, Options::default())
}

/// [`tangent`] with options.
///
/// # Errors
/// A construct has no C ([`codes`]); the problem has its place in the program.
pub fn tangent_with(
    program: &Flat,
    original: RoutineId,
    tangent: RoutineId,
    options: Options,
) -> Result<String, Diagnostics> {
    tangent_in_directions(program, original, tangent, None, options)
}

/// [`tangent_with`] with NAME_t_v, the tangent in several directions.
///
/// # Errors
/// A construct has no C ([`codes`]); the problem has its place in the program.
pub fn tangent_in_directions(
    program: &Flat,
    original: RoutineId,
    tangent: RoutineId,
    several: Option<&Several>,
    options: Options,
) -> Result<String, Diagnostics> {
    tangent_in_versions(program, (original, tangent), several, None, options)
}

/// [`tangent_in_directions`] in two versions, as [`adjoint_in_versions`] writes adjoints.
///
/// # Errors
/// A construct has no C ([`codes`]); the problem has its place in the program.
pub fn tangent_in_versions(
    program: &Flat,
    (original, tangent): (RoutineId, RoutineId),
    several: Option<&Several>,
    apart: Option<Apart<'_, 1>>,
    options: Options,
) -> Result<String, Diagnostics> {
    let outside = records(program, options)?;
    let one = Called {
        routine: tangent,
        sweep: Sweep::Tangent,
        several: None,
        apart: apart.and_then(|of| of.routines.first().copied()),
    };
    let mut sweeps = vec![(one, "t")];
    let several = several.map(|of| in_directions(program, of, Sweep::Tangent, apart, 0));
    sweeps.extend(several.map(|called| (called, "t_v")));
    let tapes = (&[][..], false);
    derivative((program, outside), original, &sweeps, tapes, options)
}

/// The routine that the file has besides its derivatives. A derivative's own function for callers stands in another
/// file.
fn replaced(
    program: &Flat,
    original: RoutineId,
    wanted: bool,
) -> Result<Option<RoutineId>, Diagnostics> {
    if wanted && let Some((of, _)) = sweep::made_from(program, original) {
        let (name, of) = (&program.routine(original).name, &program.routine(of).name);
        let message = format!("`{name}` is a derivative of `{of}`");
        let code = &codes::REPLACE;
        return Err(Diagnostic::error(code, message, code.explanation).into());
    }
    Ok(wanted.then_some(original))
}

/// A program with records, and the variables that they became in the one that is written.
type Outside<'a> = Option<(&'a ValidProgram, &'a Parts)>;

/// The records that the program was made from, where C has a form for them.
fn records(program: &Flat, options: Options) -> Result<Outside<'_>, Diagnostics> {
    let records = program.records();
    if records.is_none() || !options.checks {
        return Ok(records);
    }
    let (code, what) = (
        &codes::RECORDS,
        "checks are not written for a program with records",
    );
    Err(Diagnostic::error(code, what, code.explanation).into())
}

fn derivative(
    (program, outside): (&Flat, Outside<'_>),
    original: RoutineId,
    sweeps: &[(Called<'_>, &str)],
    (own_tapes, keeps_result): (&[(RoutineId, VarId)], bool),
    options: Options,
) -> Result<String, Diagnostics> {
    let mut names = Names::of_file();
    let base = &program.routine(original).name;
    outside::reserve(&mut names, program)?;
    let public: Vec<String> = sweeps
        .iter()
        .map(|(_, suffix)| names.fresh(&format!("{base}_{suffix}"), None))
        .collect();
    let (made, suffix, kind) = match sweeps {
        [(called, _), ..] if called.sweep == Sweep::Tangent => (Sweep::Tangent, "_t", "tangent"),
        _ => (Sweep::Gradient, "_b", "adjoint"),
    };
    let (of, checks) = ((original, made), options.checks);
    let mut globals = GlobalNames::of_derivative(program, of, &mut names, checks);
    let structs = outside.map(|(p, parts)| Structs::build(p, parts, globals.tags()));
    let how = (options.extern_globals, options.checks);
    globals.make_external(program, structs.as_ref(), &mut names, how)?;
    let replaced = replaced(program, original, options.replace)?;
    let known = program.grouped().routine(original);
    let head = replaced.and_then(|_| CHead::from_annotations(&known.annotations));
    let own_name = replaced.map(|_| match head {
        Some(_) => names.keep(base),
        None => names.fresh(base, None),
    });
    if let Some(name) = own_name
        .as_ref()
        .filter(|name| head.is_some() && *name != base)
    {
        let message = format!("`{base}` cannot be replaced: the file has it for something else");
        let help = format!("give the function another name; it would be called `{name}`");
        return Err(Diagnostic::error(&codes::REPLACE, message, help).into());
    }
    let prefix = format!("{base}{suffix}");
    let mut function_names = function_names(&mut names, program, Some((&prefix, options.prefix)));
    if let Some(name) = &own_name {
        let body = names.fresh(&format!("{name}_body"), None);
        let plain = match head {
            Some(_) => names.fresh(&format!("{name}_plain"), None),
            None => name.clone(),
        };
        let names = &mut function_names[original.index()];
        names.plain = plain;
        names.inner = body;
    }
    for ((called, _), name) in sweeps.iter().zip(&public) {
        let versions = [(Some(called.routine), "body"), (called.apart, "apart")];
        for (routine, suffix) in versions {
            let Some(routine) = routine else { continue };
            let name = names.fresh(&format!("{name}_{suffix}"), None);
            let names = &mut function_names[routine.index()];
            names.inner.clone_from(&name);
            names.plain = name;
        }
    }
    let mut file = File::new(
        program,
        names,
        function_names,
        own_tapes,
        &globals.variables,
        options.checks,
    );
    file.replaced = replaced.filter(|_| head.is_none());
    file.apart = options.apart;
    file.stops = Stops::Message;
    file.structs = structs;
    let structs = file
        .structs
        .as_ref()
        .map_or_else(String::new, Structs::text);
    let origins = file.origins.get_mut();
    *origins = Origins::new(options.origins, options.lines);
    origins.file = format!("{base}.{kind}.c");
    let mut pieces = Pieces::new(options.checks);
    if Pooled::any(program) {
        pieces.may_lead_outside();
    }
    let chooses = can_choose(&file, &globals, original, sweeps);
    // Forward and reverse sweep have versions or have none, whatever is written.
    let written = (sweeps.iter().copied().zip(public))
        .filter(|((called, _), _)| options.functions.has(called.sweep));
    let (mut sweeps, public): (Vec<_>, Vec<_>) = written.unzip();
    match chooses {
        true => pieces.require(Piece::Share),
        false => sweeps
            .iter_mut()
            .for_each(|(called, _)| called.apart = None),
    }
    let called = sweeps
        .iter()
        .map(|(called, _)| (called.routine, called.apart));
    let entries: Vec<_> = called.chain(replaced.map(|r| (r, None))).collect();
    let wanted = entries.iter().flat_map(|&(r, apart)| [Some(r), apart]);
    let wanted: Vec<RoutineId> = wanted.flatten().collect();
    if let (Some(structs), Some((_, parts))) = (&file.structs, outside) {
        file.records = Records::find(program, structs, parts, &entries);
    }
    let mut functions =
        functions::functions(&file, program, &wanted, &mut pieces).map_err(problems)?;
    // The value of a function is left on the tape for a reverse sweep that uses it.
    let keeps_result = keeps_result
        && sweeps.iter().any(|(called, _)| {
            let versions = [Some(called.routine), called.apart];
            let uses = |r| routine::uses_result(&file, r, original);
            called.sweep == Sweep::Reverse && versions.into_iter().flatten().any(uses)
        });
    let mut wrappers = |file: &File<'_>| {
        let all = sweeps.iter().zip(&public).map(|((called, _), name)| {
            let how = (keeps_result, &mut pieces);
            interface::wrapper(file, &globals, original, *called, name, how)
        });
        all.collect::<Result<Vec<_>, Failed>>()
            .map_err(|problem| problems(vec![problem]))
    };
    // In C pointers have no extents: callers give those alone that some function uses.
    if CHead::from_annotations(&program.routine(original).annotations).is_some() {
        let (mut unused, mut used) = (BTreeSet::new(), BTreeSet::new());
        for (_, [without, with]) in wrappers(&file)? {
            unused.extend(without);
            used.extend(with);
        }
        let left_out = unused.difference(&used).map(|&v| (original, v)).collect();
        file.left_out.replace(left_out);
    }
    let mut declared = Vec::new();
    for (made, _) in wrappers(&file)? {
        functions.push_str(&made.text);
        functions.push('\n');
        declared.push(made.head);
    }
    if globals.variables.derivatives.has_scratch() {
        pieces.include("string.h");
    }
    if let Some(name) = &own_name {
        let plain = file.plain_name(original);
        let mut own = String::new();
        let told = |problem| problems(vec![problem]);
        let declared_plain = plain::public(&file, original, plain, &mut own).map_err(told)?;
        match &head {
            None => {
                functions.push_str(&own);
                declared.push(declared_plain);
            }
            Some(head) => {
                // What the program's own types need is between the two.
                functions
                    .push_str(&own.replace(&declared_plain, &format!("static {declared_plain}")));
                // A value is never an `int`, which would be an `int32_t`.
                let status = declared_plain
                    .trim_start_matches("static ")
                    .starts_with("int ");
                let made =
                    original::function(&file, &globals, original, (head, name), (plain, status));
                let made = made.map_err(told)?;
                functions.push_str(&made.text);
                functions.push('\n');
                declared.push(made.head);
            }
        }
    }
    let several = match sweeps.iter().any(|(called, _)| called.several.is_some()) {
        true => file.globals.several(&globals.variables),
        false => String::new(),
    };
    let levels = levels(program.routine(original));
    let may_overlap = sweeps
        .iter()
        .any(|(called, _)| program.routine(called.routine).aliased);
    let versions = match (chooses, may_overlap) {
        (true, _) => {
            "\nThe functions test whether arguments overlap, and have a version for each case."
        }
        (false, true) => "\nThere is one version, for arguments that may overlap.",
        (false, false) => "",
    };
    let title = format!("Derivatives of {base}, written by cfgrev.{levels}{versions}");
    if options.header {
        let declarations = structs + &globals.header(&file) + &several;
        return Ok(file::header(
            &title,
            options.included,
            &declarations,
            &declared,
        ));
    }
    let globals = globals.text(&file, Some(&globals.tag), &mut pieces);
    let text = format!(
        "{structs}{globals}{several}{}\n{functions}",
        file::declarations(&declared)
    );
    let origins = file.origins.into_inner();
    sources_of(&origins)?;
    Ok(file::whole(
        &title,
        options.included,
        &pieces,
        &origins,
        &text,
    ))
}

/// A line for each parameter that has what pointers lead to which lead on from others.
fn levels(routine: &Routine) -> String {
    let mut text = String::new();
    let mut seen = HashSet::new();
    for variable in routine.parameter_ids().map(|v| routine.variable(v)) {
        let Some(origin) = variable.origin.as_deref() else {
            continue;
        };
        let of = &origin.of;
        // The fields of a record that was split have its name before the point.
        let name = variable.name.split('.').next().unwrap_or_default();
        if origin.role != NameRole::Objects || !seen.insert(name) {
            continue;
        }
        let links = &origin.links;
        if !of.is_empty() && links.is_empty() {
            text.push_str(&format!(
                "\n{name}: the objects that {of} leads to, one after the other; {of} is the number of elements of each, 0 of null."
            ));
        }
        if !links.is_empty() {
            let links = links.join(", ");
            text.push_str(&format!(
                "\n{name}: all that these lead to, which are numbers of its elements, from 1, 0 of null: {links}."
            ));
        }
    }
    text
}
