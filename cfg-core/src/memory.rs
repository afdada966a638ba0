//! The facts about a program's storage over all of its routines.
//!
//! [`locations`] says which cells the places of a routine may name, and whether two may overlap; [`effects`] what a call
//! of a routine reads and writes; [`callgraph`] who calls whom. [`access`] puts these together for the statements of one
//! routine, [`loop_writes`] for the loops of one, and [`overlaps`] for the arguments
//! of one call. The analyses over them are in the crate `cfg-analysis`.

pub mod access;
pub mod callgraph;
pub mod effects;
pub mod global_set;
pub mod known;
pub mod locations;
pub mod loop_writes;
pub mod named;
pub mod overlaps;
pub mod storage;
