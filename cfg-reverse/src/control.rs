//! Graphs of forward and reverse sweeps. The statements in their vertices and inserted blocks come from traits
//! (`ForwardCode`, `AdjointCode`, `TraceCode`), which `sweeps` implements: this folder knows edges only.
//!
//! `structured` and `general` have one rule per edge, `trace` records the numbers of executed blocks; `draw` is a
//! graph under construction, `merge` joins inserted blocks to their neighbours.

pub(crate) mod draw;
pub(crate) mod general;
pub(crate) mod merge;
pub(crate) mod structured;
pub(crate) mod trace;
