//! Random structured programs.
//!
//! A seed and [`Options`] give a [`Case`]: a program that terminates and never fails, the point to run it
//! at, a direction and adjoint seeds. Programs are built so that this holds by construction: every integer
//! variable has a range that all its assignments keep, so subscripts are in bounds; loops count; what may
//! be uninitialised is not read; a bound on the steps is kept while regions are nested.
//!
//! In [`Arithmetic::Exact`] mode real values are integers, and the program is damped where the
//! [`Magnitude`] of anything that tangent or adjoint code computes would leave the range in which +, -
//! and * on reals are exact. Tangent and adjoint then agree without a tolerance at the case's point,
//! direction and seeds.

mod build;
mod call;
mod condition;
mod expression;
mod finish;
mod integer;
mod program;
mod region;
mod routine;
mod statement;

use crate::case::{Case, Datum, Elements};
use crate::interpret::{Fault, Limits, Magnitude};
use crate::rng::Rng;
use crate::tree::{self, Region};
use build::Parameter;
use cfg_core::entity::{RoutineId, VarId};
use cfg_core::ir::{Expr, Intent, OpClass, Routine, ScalarType, Stmt, StmtKind, VertexKind};

/// Which numbers and operators a program uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    /// +, -, * and whole powers on integers held in reals: no rounding anywhere.
    Exact,
    /// Bounded differentiable functions.
    Smooth,
}

/// What the programs of a suite look like: one constant per suite.
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
    /// Percentage of programs with an allocatable array.
    pub allocatables: usize,
    /// Percentage of programs with globals in which two global arrays share storage.
    pub overlays: usize,
    /// Percentage of helper routines with an optional parameter.
    pub optionals: usize,
    /// Percentage of helper subroutines whose parameters may overlap.
    pub aliased: usize,
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
        allocatables: 6,
        overlays: 25,
        optionals: 12,
        aliased: 10,
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
    /// The body of each routine; `None` for external routines.
    pub trees: Vec<Option<Region>>,
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
/// As [`generate`].
pub fn generate_with_trees(options: &Options, seed: u64) -> Result<Generated, Fault> {
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
    };
    generated.rebuild();
    choose_point(&mut generated.case, &parameters, options, &mut rng);
    damp(&mut generated, options)?;
    Ok(generated)
}

impl Generated {
    /// Makes the graphs from the trees again.
    pub fn rebuild(&mut self) {
        for (routine, tree) in self.case.program.routines.iter_mut().zip(&self.trees) {
            routine.body = tree.as_deref().map(tree::graph);
        }
    }
}

fn choose_point(case: &mut Case, parameters: &[Parameter], options: &Options, rng: &mut Rng) {
    let routine = case.program.routine(case.main).clone();
    for (p, known) in routine.parameter_ids().zip(parameters) {
        if routine.variable(p).intent() == Some(Intent::Out) {
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
            ScalarType::Integer | ScalarType::Tape => {
                let (low, high) = known.range;
                Elements::Integer((0..total).map(|_| rng.between(low, high)).collect())
            }
            ScalarType::Logical => Elements::Logical((0..total).map(|_| rng.percent(50)).collect()),
        };
        let extents = known.extents.clone();
        case.point.push((p, Datum { extents, elements }));
    }
    let mut weights = |vars: &[VarId]| -> Vec<(VarId, Vec<f64>)> {
        vars.iter()
            .map(|&v| {
                // The result of a function, the only dependent that is no parameter, is a scalar.
                let n = parameters
                    .get(v.index())
                    .map_or(1, |p| p.extents.iter().product());
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
        let outcome = generated.case.run_with(limits, |_, _| Magnitude(1.0))?;
        if outcome.refused.is_empty() {
            return Ok(());
        }
        for (id, vertex, statement) in outcome.refused {
            let routine = generated.case.program.routine(id);
            let Some(body) = &routine.body else {
                continue;
            };
            // Blocks are numbered like their vertices, in the order of the text.
            let block = (body.vertices().take(vertex.index()))
                .filter(|(_, v)| matches!(v.kind, VertexKind::Block(_)))
                .count();
            let mut k = 0;
            if let Some(tree) = &mut generated.trees[id.index()] {
                tree::blocks_mut(tree, &mut |statements| {
                    if k == block {
                        weaken(routine, &mut statements[statement]);
                    }
                    k += 1;
                });
            }
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
        | StmtKind::Opaque { .. } => return,
    };
    let ty = routine.variable(target.var).ty;
    let operand = match value {
        Some(Expr::Op(op, operands)) if op.class() == OpClass::Elemental => operands
            .iter()
            .find(|e| matches!(e, Expr::Place(p) if routine.variable(p.var).ty == ty))
            .cloned(),
        _ => None,
    };
    let constant = match ty {
        ScalarType::Real32 => Expr::Real32(1.0),
        _ => Expr::Real(1.0),
    };
    *statement = Stmt::assign(target, operand.unwrap_or(constant));
}
