//! The facts about a program's storage over all of its routines.
//!
//! [`locations`] has the cells that the places of a routine may name, and decides whether two may overlap; [`effects`]
//! has the reads and writes of calls; [`callgraph`] the calls between routines. [`access`] puts these together for the
//! statements of one routine, [`loop_writes`] for its loops, and [`overlaps`] for the arguments of one call. The
//! analyses over them are in the crate `cfg-analysis`.

pub mod access;
pub mod callgraph;
pub mod effects;
pub mod global_set;
pub mod known;
pub mod locations;
pub mod loop_writes;
pub mod named;
pub mod overlaps;
pub mod restored;
pub mod storage;
