//! Graphs of forward and reverse sweeps. What stands in their vertices and inserted blocks is not known here.

pub(crate) mod draw;
pub(crate) mod general;
pub(crate) mod merge;
pub(crate) mod structured;
pub(crate) mod trace;
