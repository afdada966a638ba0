//! Random programs whose routines are structured, or have loops and branches with jumps out of them.
//!
//! A seed and [`Options`] give a [`Case`]: a program that terminates and never fails, the point to run it
//! at, a direction and adjoint seeds. Programs are built so that this holds by construction: every integer
//! variable has a range that all its assignments keep, so subscripts are in bounds; loops count; variables that may
//! be uninitialised are not read; a bound on the steps is kept while regions are nested.
//!
//! In [`Arithmetic::Exact`] mode real values are integers, and the program is damped where the
//! [`Magnitude`] of anything that tangent or adjoint code computes would leave the range in which +, -
//! and * on reals are exact. Tangent and adjoint then agree without a tolerance at the case's point,
//! direction and seeds.

mod build;
mod call;
mod condition;
mod dress;
mod expression;
mod finish;
mod given;
mod integer;
mod program;
mod rare;
mod region;
mod routine;
mod signature;
mod sized;
mod special;
mod statement;
mod stops;

use crate::case::{self, Case, Datum, Elements};
use crate::interpret::{Fault, Limits, Magnitude};
use crate::rng::Rng;
use crate::tree::{self, Region};
use build::Parameter;
use cfg_core::entity::{RoutineId, VarId};
use cfg_core::ir::{Expr, Extent, Intent, Op, OpClass, Role, Routine, ScalarType, Stmt, StmtKind};
pub use stops::stopping;

/// Which numbers and operators a program uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    /// +, -, * and whole powers on integers held in reals: no rounding anywhere.
    Exact,
    /// Bounded differentiable functions.
    Smooth,
}

/// The parameters of a suite of programs; there is one constant per suite.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Numbers and operators.
    pub arithmetic: Arithmetic,
    /// Fewest and most statements aimed at in the main routine.
    pub statements: (usize, usize),
    /// Deepest nesting of loops and branches.
    pub nesting: usize,
    /// Most routines besides the main one.
    pub helpers: usize,
    /// Bound on the statements executed by a run.
    pub steps: u64,
    /// Percentage of programs with 32-bit reals (exact mode only: they round).
    pub real32: usize,
    /// Percentage of programs with global variables.
    pub globals: usize,
    /// Percentage of helper routines that call themselves.
    pub recursion: usize,
    /// Percentage of programs with an external function.
    pub externals: usize,
    /// Percentage of external functions that take an array.
    pub external_arrays: usize,
    /// Percentage of programs with an allocatable array.
    pub allocatables: usize,
    /// Percentage of programs with globals in which two global arrays share storage.
    pub overlays: usize,
    /// Percentage of programs with globals whose routines name few of them, call each other more often, and are as many as there
    /// may be, with more overlays: callees use globals that their callers do not name, by names that other callees do
    /// not have. With 0 no random number is drawn for it, so that older seeds keep their programs.
    pub scattered: usize,
    /// Percentage of programs with globals that have integers and logicals in one storage. They have a random stream
    /// of their own, so that older seeds keep their programs.
    pub integer_overlays: usize,
    /// Percentage of routines whose control is general: with jumps out of loops, to their next pass and to the end, and loops that are
    /// written with jumps.
    pub jumps: usize,
    /// Percentage of programs with records: as locals, globals, parameters and results, alone and in arrays, whole and field by field.
    pub records: usize,
    /// Percentage of helper routines with an optional parameter.
    pub optionals: usize,
    /// Percentage of helper subroutines whose parameters may overlap.
    pub aliased: usize,
    /// Percentage of each unusual trait of helpers and their calls: functions that are recursive, aliased or write
    /// their parameters, a second scalar that is `out`, one variable for several parameters that may overlap. With 0
    /// no random number is drawn for these, so that older seeds keep their programs.
    pub odd_functions: usize,
    /// Percentage of programs whose main routine has optional parameters; of helpers half as many get another.
    pub main_optionals: usize,
    /// Percentage of programs in which globals are independents and dependents, under all their names.
    pub global_lists: usize,
    /// Percentage of programs with routines whose derivatives are given.
    pub derivatives: usize,
    /// Percentage of programs with a routine that pushes and pops for itself: they have no adjoint.
    pub tapes: usize,
    /// Percentage of parts of a region that are unusual constructs: deferred arrays that change their shape,
    /// loops and branches at the ends of the range of integers, opaque statements that write.
    pub specials: usize,
    /// How far declarations go beyond the usual, in per cent: bounds, storage order, types, lists.
    pub declarations: usize,
    /// Percentage of programs with statements that stop them, to which no run at the case's point comes.
    pub stops: usize,
    /// Percentage of programs with unusual names, ids, annotations and orders.
    pub dress: usize,
    /// Whether all operators occur.
    pub operators: bool,
    /// Whether statements over whole arrays and sections, and reductions, occur.
    pub whole_arrays: bool,
    /// Whether min, max, abs and conditional expressions on active values occur.
    pub kinks: bool,
    /// Largest value or sum of absolute partials allowed at the point.
    pub magnitude: f64,
}

impl Options {
    /// All constructs, exact arithmetic.
    pub const EXACT: Self = Self {
        arithmetic: Arithmetic::Exact,
        statements: (6, 48),
        nesting: 5,
        helpers: 3,
        steps: 6000,
        real32: 8,
        globals: 30,
        recursion: 25,
        externals: 12,
        external_arrays: 0,
        allocatables: 6,
        overlays: 25,
        scattered: 0,
        integer_overlays: 0,
        jumps: 0,
        records: 0,
        optionals: 12,
        aliased: 10,
        odd_functions: 0,
        main_optionals: 0,
        global_lists: 0,
        derivatives: 0,
        tapes: 0,
        specials: 0,
        declarations: 0,
        stops: 0,
        dress: 0,
        operators: false,
        whole_arrays: true,
        kinks: true,
        // 2^46: with directions and seeds up to 2 and all sums, below 2^53.
        magnitude: 70_368_744_177_664.0,
    };

    /// All constructs, smooth functions.
    pub const SMOOTH: Self = Self {
        arithmetic: Arithmetic::Smooth,
        real32: 0,
        kinks: false,
        magnitude: 3000.0,
        ..Self::EXACT
    };

    /// All that the format allows, exact arithmetic.
    pub const WIDE: Self = Self {
        statements: (4, 32),
        real32: 12,
        globals: 50,
        externals: 20,
        external_arrays: 30,
        allocatables: 50,
        overlays: 60,
        scattered: 30,
        integer_overlays: 30,
        jumps: 0,
        records: 0,
        optionals: 30,
        aliased: 30,
        odd_functions: 40,
        main_optionals: 40,
        global_lists: 60,
        derivatives: 40,
        tapes: 3,
        specials: 12,
        declarations: 60,
        stops: 40,
        dress: 60,
        operators: true,
        ..Self::EXACT
    };

    /// All that the format allows, smooth functions.
    pub const WIDE_SMOOTH: Self = Self {
        arithmetic: Arithmetic::Smooth,
        real32: 0,
        kinks: false,
        magnitude: 3000.0,
        ..Self::WIDE
    };

    /// Routines with any control flow that call each other, smooth functions.
    pub const MIXED: Self = Self {
        statements: (3, 5),
        nesting: 3,
        globals: 100,
        helpers: 5,
        externals: 90,
        external_arrays: 80,
        scattered: 90,
        integer_overlays: 60,
        aliased: 70,
        odd_functions: 60,
        declarations: 150,
        jumps: 50,
        records: 60,
        derivatives: 80,
        tapes: 0,
        dress: 0,
        ..Self::WIDE_SMOOTH
    };

    /// Small programs, for fuzzing and for looking at.
    pub const SMALL: Self = Self {
        statements: (3, 15),
        nesting: 3,
        helpers: 1,
        steps: 500,
        ..Self::EXACT
    };
}

/// A generated case with the trees that its graphs were made from.
#[derive(Clone, Debug, PartialEq)]
pub struct Generated {
    /// The case.
    pub case: Case,
    /// The body of each routine; `None` for routines that were not made from a tree.
    pub trees: Vec<Option<Region>>,
    /// The random stream for ids, annotations and orders of the graphs, if they are to be unusual.
    dress: Option<Rng>,
}

/// True so many times in a hundred; without a chance nothing is drawn.
fn chance(rng: &mut Rng, percent: usize) -> bool {
    percent > 0 && rng.percent(percent)
}

/// The case of a seed.
///
/// # Errors
/// The fault of a run, should one of the guarantees above be broken.
pub fn generate(options: &Options, seed: u64) -> Result<Case, Fault> {
    generate_with_trees(options, seed).map(|g| g.case)
}

/// The case of a seed, and its trees.
///
/// # Errors
/// The errors are those of [`generate`].
pub fn generate_with_trees(options: &Options, seed: u64) -> Result<Generated, Fault> {
    let (mut generated, mut rng) = draft(options, seed);
    // A random stream of its own, so that the rest of the program is the same with these statements and without.
    generated.add_stops(options, &mut Rng::new(seed ^ 0x5707));
    damp(&mut generated, options)?;
    if rng.percent(options.dress) {
        dress::dress(&mut generated.case.program, &mut generated.trees, &mut rng);
        generated.dress = Some(rng);
        generated.rebuild();
    }
    Ok(generated)
}

/// The case of a seed before it is damped and dressed, for debugging if [`generate`] fails.
pub fn undamped(options: &Options, seed: u64) -> Case {
    draft(options, seed).0.case
}

fn draft(options: &Options, seed: u64) -> (Generated, Rng) {
    let mut rng = Rng::new(seed);
    let (mut program, mut trees, parameters) = program::program(&mut rng, options);
    let main = RoutineId::new(program.routines.len() - 1);
    program.main = Some(main);
    for (routine, tree) in program.routines.iter_mut().zip(&mut trees) {
        finish::renumber(routine, tree.as_mut());
    }
    let mut generated = Generated {
        case: Case {
            program,
            main,
            point: Vec::new(),
            direction: Vec::new(),
            seed: Vec::new(),
        },
        trees,
        dress: None,
    };
    generated.rebuild();
    choose_point(&mut generated.case, &parameters, options, &mut rng);
    (generated, rng)
}

/// A case whose graphs were not made from trees, with unusual names, ids, annotations and orders.
pub fn dressed(case: &Case, seed: u64) -> Case {
    let mut case = case.clone();
    let mut rng = Rng::new(seed);
    dress::dress(&mut case.program, &mut [], &mut rng);
    let sources = case.program.sources.len();
    for routine in &mut case.program.routines {
        if let Some(body) = routine.body.take() {
            routine.body = Some(dress::graph(body, sources, &mut rng));
        }
    }
    case
}

impl Generated {
    /// Makes the graphs from the trees again.
    pub fn rebuild(&mut self) {
        for (routine, tree) in self.case.program.routines.iter_mut().zip(&self.trees) {
            if let Some(tree) = tree {
                routine.body = Some(tree::graph(tree, routine.control));
            }
        }
        let Some(mut rng) = self.dress.clone() else {
            return;
        };
        let sources = self.case.program.sources.len();
        for routine in &mut self.case.program.routines {
            if let Some(body) = routine.body.take() {
                routine.body = Some(dress::graph(body, sources, &mut rng));
            }
        }
    }
}

fn choose_point(case: &mut Case, parameters: &[Parameter], options: &Options, rng: &mut Rng) {
    let routine = case.program.routine(case.main).clone();
    for (p, known) in routine.parameter_ids().zip(parameters) {
        let role = routine.variable(p).role;
        let absent = match role {
            Role::Parameter { optional: true, .. } => rng.percent(50),
            _ => routine.variable(p).intent() == Some(Intent::Out),
        };
        if absent {
            continue;
        }
        let total: usize = known.extents.iter().product();
        let mut real = || match options.arithmetic {
            Arithmetic::Exact => rng.between(-3, 3) as f64,
            Arithmetic::Smooth => (rng.real(-1.5, 1.5) * 4096.0).round() / 4096.0,
        };
        let elements = match routine.variable(p).ty {
            ScalarType::Real => Elements::Real((0..total).map(|_| real()).collect()),
            ScalarType::Real32 => Elements::Real32((0..total).map(|_| real() as f32).collect()),
            ScalarType::Integer
            | ScalarType::Tape
            | ScalarType::Record(_)
            | ScalarType::Pointer(_) => {
                let (low, high) = known.range;
                Elements::Integer((0..total).map(|_| rng.between(low, high)).collect())
            }
            ScalarType::Sized(ty) => {
                let mut cell = || {
                    let any = i128::from(rng.bits());
                    match rng.below(4) {
                        0 => ty.wrap(ty.min()),
                        1 => ty.wrap(ty.max()),
                        _ => ty.wrap(any),
                    }
                };
                Elements::Sized(ty, (0..total).map(|_| cell()).collect())
            }
            ScalarType::Logical => Elements::Logical((0..total).map(|_| rng.percent(50)).collect()),
        };
        let extents = known.extents.clone();
        case.point.push((p, Datum { extents, elements }));
    }
    let positions = routine.parameter_positions();
    let known = |k: usize| parameters.get(positions[k]?);
    let lengths: Vec<usize> = (routine.variables.iter().enumerate())
        .map(|(k, variable)| match (variable.role, known(k)) {
            (Role::Parameter { optional: true, .. }, _) if case.value(VarId::new(k)).is_none() => 0,
            (_, Some(known)) => known.extents.iter().product(),
            // Globals, and the result of a function, whose extents are constants.
            _ => case::constant_len(variable),
        })
        .collect();
    let mut weights = |vars: &[VarId]| -> Vec<(VarId, Vec<f64>)> {
        vars.iter()
            .map(|&v| {
                let n = lengths[v.index()];
                let mut weight = || match options.arithmetic {
                    Arithmetic::Exact => *rng.pick(&[-2.0, -1.0, 1.0, 2.0]).unwrap_or(&1.0),
                    Arithmetic::Smooth => rng.real(-1.0, 1.0),
                };
                (v, (0..n).map(|_| weight()).collect())
            })
            .collect()
    };
    case.direction = weights(&routine.independents);
    case.seed = weights(&routine.dependents);
}

/// Replaces right sides at which values or derivatives grow too large, until none does.
fn damp(generated: &mut Generated, options: &Options) -> Result<(), Fault> {
    let narrow = generated
        .case
        .program
        .routines
        .iter()
        .any(|r| r.variables.iter().any(|v| v.ty == ScalarType::Real32));
    let limits = Limits {
        // 32-bit reals hold integers up to 2^24 only.
        largest: if narrow { 131_072.0 } else { options.magnitude },
        ..Limits::default()
    };
    loop {
        let outcome = match generated.case.run_with(limits, |_| Magnitude(1.0)) {
            Ok(outcome) => outcome,
            Err(fault) => {
                generated.pass(fault)?;
                continue;
            }
        };
        if outcome.refused.is_empty() {
            return Ok(());
        }
        for (id, vertex, statement) in outcome.refused {
            // Given derivatives would not be those of the weakened routine.
            generated.case.program.routines[id.index()].derivatives = None;
            let routine = generated.case.program.routine(id).clone();
            generated.in_block(id, vertex, |statements| {
                weaken(&routine, &mut statements[statement]);
            });
        }
        generated.rebuild();
    }
}

/// Keeps one operand of the right side only; if there is none, a constant.
fn weaken(routine: &Routine, statement: &mut Stmt) {
    let (target, value) = match &mut statement.kind {
        StmtKind::Assign { target, value } => (target.clone(), Some(value)),
        StmtKind::Call {
            result: Some(target),
            ..
        } => (target.clone(), None),
        StmtKind::Call { .. }
        | StmtKind::Push { .. }
        | StmtKind::Pop { .. }
        | StmtKind::Opaque { .. }
        | StmtKind::Stop { .. }
        | StmtKind::Allocate { .. }
        | StmtKind::Free { .. }
        | StmtKind::Resize { .. } => return,
    };
    let ty = routine.variable(target.var).ty;
    if ty.record().is_some() {
        // Of a copy what is copied is weakened, of a field there is a constant.
        if !target.is_plain() {
            *statement = Stmt::assign(target, Expr::Real(1.0));
        }
        return;
    }
    if let Some(Expr::Op(Op::Fill, operands)) = value {
        // A deferred array takes its shape from this right side, so an operand of that shape stays.
        operands[0] = Expr::Real(1.0);
        return;
    }
    let deferred =
        (routine.variable(target.var).shape.iter()).any(|d| d.extent == Extent::Deferred);
    let operand = match value {
        Some(Expr::Op(op, operands)) if op.class() == OpClass::Elemental => operands
            .iter()
            .find(|e| match e {
                Expr::Place(p) if deferred && target.subscripts.is_empty() => {
                    !p.is_element() && !routine.variable(p.var).shape.is_empty()
                }
                Expr::Place(p) => routine.variable(p.var).ty == ty,
                _ => false,
            })
            .cloned(),
        _ => None,
    };
    let constant = match ty {
        ScalarType::Real32 => Expr::Real32(1.0),
        _ => Expr::Real(1.0),
    };
    *statement = Stmt::assign(target, operand.unwrap_or(constant));
}
