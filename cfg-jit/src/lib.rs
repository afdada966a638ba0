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
//! - The executor runs calls, array statements, tapes in files and 32-bit stacks of tapes; routines that are too large
//!   for Cranelift; runs that record visits of vertices; and the repetition of a run that a limit has stopped.
//! - Machine code stops at NaN and at uninitialised values, at subscripts outside, at integers beyond ±2^62, where a
//!   tape has no room, and where the steps that are left might not last for the next instructions.
//! - Elementary functions are those of the executor.
//! - Where the machine refuses executable memory, the executor runs everything.

#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

mod call;
mod compiled;
mod context;
mod flow;
mod operands;
mod places;
mod stacks;
mod translate;

use std::sync::{
    OnceLock,
    atomic::{AtomicU64, Ordering::Relaxed},
};

use cfg_exec::native::{Engine, Native, State};

use compiled::Routine;

/// Jumps back after which the executor asks again for machine code.
const PATIENCE: u64 = 1000;
/// Jumps back after which the executor asks again where a routine with machine code has no entry that is worth it.
const SHORT_PATIENCE: u64 = 64;
/// Instructions of a routine that is left to the executor.
const TOO_LARGE: usize = 200_000;

/// The compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Jit {
    /// Steps that the executor runs for each instruction of a routine before the routine is compiled.
    steps: u64,
    /// Whether machine code is entered wherever that is possible, or where enough of it follows.
    everywhere: bool,
}

impl Jit {
    /// Compiles each routine when it is called first.
    pub fn at_once() -> Self {
        Self {
            steps: 0,
            everywhere: false,
        }
    }

    /// Compiles each routine when it is called first, and uses machine code even where the executor is faster: for
    /// tests.
    pub fn everywhere() -> Self {
        Self {
            steps: 0,
            everywhere: true,
        }
    }

    /// Compiles a routine as soon as the executor has taken about as long for it as compilation takes: what ends
    /// sooner is not compiled.
    pub fn when_worth_it() -> Self {
        Self {
            steps: 2000,
            everywhere: false,
        }
    }
}

impl Engine for Jit {
    fn start(&self, routines: usize) -> Box<dyn Native> {
        let mut slots = Vec::new();
        slots.resize_with(routines, Slot::default);
        Box::new(Code {
            policy: *self,
            slots,
        })
    }
}

/// A routine of the program.
#[derive(Default)]
struct Slot {
    /// Steps that the executor has run before there was machine code.
    steps: AtomicU64,
    /// Machine code; `None` if there is none to be had.
    compiled: OnceLock<Option<Routine>>,
}

/// The machine code of a program.
struct Code {
    policy: Jit,
    slots: Vec<Slot>,
}

impl Native for Code {
    fn run(&self, state: State<'_>) -> u64 {
        let Some(slot) = self.slots.get(state.routine()) else {
            return u64::MAX;
        };
        let size = state.code().instrs().len();
        if slot.compiled.get().is_none()
            && slot.steps.load(Relaxed) < self.policy.steps.saturating_mul(size as u64)
        {
            return PATIENCE;
        }
        let compiled = slot.compiled.get_or_init(|| {
            (size <= TOO_LARGE)
                .then(|| Routine::new(state.program(), state.code(), self.policy.everywhere))
                .and_then(Result::ok)
        });
        match compiled {
            Some(compiled) if compiled.run(state) || self.policy.everywhere => 0,
            Some(_) => SHORT_PATIENCE,
            None => u64::MAX,
        }
    }

    fn interpreted(&self, routine: usize, steps: u64) {
        let slot = &self.slots[routine];
        if slot.compiled.get().is_none() {
            slot.steps.fetch_add(steps, Relaxed);
        }
    }
}
