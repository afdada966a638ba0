//! Decisions that all compilers of a program without pointers and records share: they are made here, once, and readers only
//! translate them.
//!
//! - [`Convention`]: how the parameters of a routine are passed.
//! - [`BoundCall`]: how the arguments of a call reach their parameters, and which of them may share cells.

mod call;
mod convention;

pub use call::{Argument, BoundCall, Call, ComparedPair, SharedCells, Target};
pub use convention::{Convention, Conventions, Pass, is_passed_by_value};

use cfg_core::ir::{Place, Routine};

/// The number of dimensions of a place without fields and steps through pointers.
pub fn place_rank(routine: &Routine, place: &Place) -> usize {
    match &place.subscripts[..] {
        [] => routine.variable(place.var).rank(),
        subscripts => subscripts.iter().filter(|s| s.index().is_none()).count(),
    }
}
