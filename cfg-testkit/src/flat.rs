//! Programs of tests as flat ones.

use cfg_core::{flat::Flat, validate::ValidProgram};

/// A program without pointers and records as a flat one.
///
/// # Panics
/// The program has pointers or records.
pub fn flat(program: &ValidProgram) -> Flat {
    Flat::check(program.clone()).unwrap_or_else(|problems| panic!("{problems}"))
}
