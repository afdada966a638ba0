//! Compiler in the process: the executor's register code as machine code.
//!
//! [`Jit`] goes into [`CompileOptions::engine`](cfg_exec::CompileOptions::engine). Results, errors with their places,
//! steps and counts of tapes are those of the executor, bit by bit: machine code does what is common and correct, and
//! stops in front of everything else, with the state that the executor has there; the executor goes on from it, up to
//! a place where machine code can be entered again ([`cfg_exec::native`]).
//!
//! ```
//! use std::sync::Arc;
//!
//! use cfg_core::builder::{ProgramBuilder, RoutineBuilder, expr::*};
//! use cfg_core::flat::Flat;
//! use cfg_core::ir::ScalarType::{Integer, Real};
//! use cfg_exec::{Argument, CompileOptions, Compiled, RunOptions, Session};
//!
//! // s = 1 + 2 + ... + n
//! let mut f = RoutineBuilder::new("sum");
//! let n = f.input("n", Integer);
//! let s = f.output("s", Real);
//! let i = f.local("i", Integer);
//! f.assign(s, 0.0);
//! f.for_loop(i, 1, n, |f| f.assign(s, s + i));
//! let mut program = ProgramBuilder::new();
//! let sum = program.add(f);
//!
//! let options = CompileOptions {
//!     engine: Some(Arc::new(cfg_jit::Jit::at_once())),
//!     ..CompileOptions::default()
//! };
//! let compiled = Compiled::new(&Flat::check(program.finish()?)?, &options)?;
//! let mut arguments = [Argument::from(1000), Argument::from(0.0)];
//! Session::new(&compiled).run(sum, &mut arguments, &RunOptions::default())?;
//! assert_eq!(arguments[1].value().and_then(|s| s.get_f64(0)), Some(500_500.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Machine code and the executor
//!
//! - Calls of small routines are machine code: a copy of the callee in that of its caller ([`cfg_exec::native::State`]
//!   has the frames where it stops within). Parameters of explicit shape, locals, globals, tapes, and assignments of a
//!   value to an array are; whole arrays go onto stacks of 64-bit reals and come from there.
//! - The executor runs calls of recursive and of large routines, and of those with other statements on arrays; such
//!   statements; tapes in files and 32-bit stacks of tapes; routines that are too large for Cranelift; runs that record
//!   visits of vertices; and the repetition of a run that a limit has stopped.
//! - Machine code stops at NaN and at uninitialised values, at subscripts outside, at arguments that may overlap and at
//!   arrays with gaps or without elements, at integers beyond ±2^62, where a tape has no room, and where the steps that
//!   are left might not last for the next instructions.
//! - Elementary functions are those of the executor.
//! - Where the machine refuses executable memory, the executor runs everything; [`cfg_exec::native::refused`] tells.

#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

mod call;
mod compiled;
mod context;
mod flow;
mod foresight;
mod loops;
mod operands;
mod places;
mod stacks;
mod translate;
mod unit;

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicU64, Ordering::Relaxed},
};

use cfg_exec::native::{Engine, Native, State};

use compiled::{Effort, Refusal, Routine};
use foresight::Counted;

/// Jumps back after which the executor asks again for machine code.
const PATIENCE: u64 = 1000;
/// Jumps back after which the executor asks again where a routine with machine code has no entry that is worth it.
const SHORT_PATIENCE: u64 = 64;

/// Steps for each instruction of a routine, run by the executor or foreseen, with which quick compilation pays.
/// Measured by `bench/jit/run --first`; the constants below are estimates.
const QUICK: u64 = 2500;
/// Steps with which compilation that optimises pays: it takes twice as long.
const BEST: u64 = 200_000;
/// Instructions that take as long to compile as what comes with each compilation.
const OVERHEAD: u64 = 50;
/// Steps of quickly made machine code, for each instruction, behind which the routine is compiled again.
const AGAIN: u64 = 800_000;

/// The compiler.
#[derive(Clone, Debug)]
pub struct Jit {
    policy: Policy,
    /// The first reason for which there is no machine code where there should be.
    refused: Arc<OnceLock<String>>,
}

#[derive(Clone, Copy, Debug)]
struct Policy {
    /// Steps of the executor behind which a routine is compiled; `None`: as soon as that pays.
    steps: Option<u64>,
    /// Whether machine code is entered wherever that is possible, or where enough of it follows.
    everywhere: bool,
}

impl Jit {
    fn new(steps: Option<u64>, everywhere: bool) -> Self {
        let policy = Policy { steps, everywhere };
        let refused = Arc::default();
        Self { policy, refused }
    }

    /// Compiles each routine when it is called first.
    pub fn at_once() -> Self {
        Self::new(Some(0), false)
    }

    /// Compiles each routine when it has run some steps, and uses machine code even where the executor is faster: for
    /// tests.
    pub fn everywhere_after(steps: u64) -> Self {
        Self::new(Some(steps), true)
    }

    /// Compiles a routine as soon as the executor has taken about as long for it as compilation takes, or will, as far
    /// as counters of loops tell: what ends sooner is not compiled. What takes far longer is optimised.
    pub fn when_worth_it() -> Self {
        Self::new(None, false)
    }
}

impl Engine for Jit {
    fn start(&self, routines: usize) -> Box<dyn Native> {
        let mut slots = Vec::new();
        slots.resize_with(routines, Slot::default);
        Box::new(Code {
            jit: self.clone(),
            slots,
        })
    }

    fn refusal(&self) -> Option<String> {
        self.refused.get().cloned()
    }
}

/// A routine of the program.
#[derive(Default)]
struct Slot {
    /// Steps that the executor has run before there was machine code.
    steps: AtomicU64,
    /// Counted loops.
    loops: OnceLock<Vec<Counted>>,
    /// Machine code that was made quickly; `None` if there is none to be had.
    quick: OnceLock<Option<Routine>>,
    /// Machine code that is optimised, in its place.
    best: OnceLock<Option<Routine>>,
}

/// The machine code of a program.
struct Code {
    jit: Jit,
    slots: Vec<Slot>,
}

impl Code {
    /// The effort that pays for a routine that is at this state; `None` if the executor is quicker.
    fn effort(&self, slot: &Slot, state: &State<'_>) -> Option<Effort> {
        let run = slot.steps.load(Relaxed);
        if let Some(steps) = self.jit.policy.steps {
            let effort = if steps == 0 {
                Effort::Best
            } else {
                Effort::Quick
            };
            return (run >= steps).then_some(effort);
        }
        let code = state.code();
        let loops = slot
            .loops
            .get_or_init(|| foresight::counted_loops(state.program(), code));
        let all = run.saturating_add(foresight::steps_ahead(loops, state));
        match all / (code.instrs().len() as u64 + OVERHEAD) {
            BEST.. => Some(Effort::Best),
            QUICK.. => Some(Effort::Quick),
            _ => None,
        }
    }

    /// Compiles a routine. The reason why that cannot be is kept, unless machine code would be of no use.
    fn compile(&self, state: &State<'_>, effort: Effort) -> Option<Routine> {
        let everywhere = self.jit.policy.everywhere;
        match Routine::new(state.program(), state.routine(), everywhere, effort) {
            Ok(routine) => Some(routine),
            Err(Refusal::NoUse) => None,
            Err(Refusal::Because(reason)) => {
                // The first reason is told.
                let _ = self.jit.refused.set(reason);
                None
            }
        }
    }

    /// The machine code of a routine that is at this state, made now if that pays; `None` if the executor is to go on.
    fn made<'s>(&self, slot: &'s Slot, state: &State<'_>) -> Option<&'s Option<Routine>> {
        let best = || {
            let compile = || self.compile(state, Effort::Best);
            slot.best.get_or_init(compile)
        };
        match (slot.best.get(), slot.quick.get()) {
            (Some(made), _) => Some(made),
            (None, Some(Some(quick))) if quick.steps_for_each() >= AGAIN => Some(best()),
            (None, Some(made)) => Some(made),
            (None, None) => Some(match self.effort(slot, state)? {
                Effort::Best => best(),
                Effort::Quick => {
                    let compile = || self.compile(state, Effort::Quick);
                    slot.quick.get_or_init(compile)
                }
            }),
        }
    }
}

impl Native for Code {
    fn run(&self, state: State<'_>) -> u64 {
        let Some(slot) = self.slots.get(state.routine()) else {
            return u64::MAX;
        };
        let everywhere = self.jit.policy.everywhere;
        let Some(compiled) = self.made(slot, &state) else {
            return if everywhere { 0 } else { PATIENCE };
        };
        match compiled {
            Some(compiled) if compiled.run(state) || everywhere => 0,
            Some(_) => SHORT_PATIENCE,
            None => u64::MAX,
        }
    }

    fn interpreted(&self, routine: usize, steps: u64) {
        let slot = &self.slots[routine];
        if slot.quick.get().is_none() && slot.best.get().is_none() {
            slot.steps.fetch_add(steps, Relaxed);
        }
    }
}
