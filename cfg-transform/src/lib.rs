//! Transformations of [cfgrev](https://github.com/cfgrev/cfgrev) programs that the executor, the back ends and the
//! reversal share.
//!
//! - [`flatten`](flatten()): programs without pointers and records, as reversal, executor and back ends take them.
//! - [`scalarize`]: array statements as loops over scalar code.
//! - [`lower`]: conventions for passing parameters and making calls.
//! - [`records`]: each scalar and array in a record as a variable of its own.
//! - [`pools`]: the targets of pointers as cells of pools.
//! - [`told_apart`]: no routine is `aliased` unless a call needs it.
//! - [`mod@outline`]: a region of a routine as a routine of its own, with a call in its place.
//! - [`checkpoint`]: blocks and loops that run again in the reverse sweep, as routines of their own.

#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

pub mod aliased;
mod apart;
pub mod checkpoint;
pub mod codes;
pub mod flat;
pub mod lower;
mod names;
pub mod outline;
pub mod pools;
pub mod records;
pub mod scalarize;

pub use apart::told_apart;
pub use codes::CODES;
pub use flat::flatten;

#[cfg(test)]
mod passes;
