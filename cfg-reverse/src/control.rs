//! Graphs of forward and reverse sweeps. What stands in their vertices and inserted blocks is not known here.
//!
//! `structured` and `general` have one rule per edge, `trace` follows the numbers of executed blocks; `draw` is a
//! graph under construction, `merge` makes one of it that has fewer blocks.

pub(crate) mod draw;
pub(crate) mod general;
pub(crate) mod merge;
pub(crate) mod structured;
pub(crate) mod trace;
